// Included in front of the layer's files: their allocations fail when $FAIL_AT says so.
#define _GNU_SOURCE
#include <stdlib.h>

void *failing_malloc(size_t size);
void *failing_calloc(size_t count, size_t size);
void *failing_realloc(void *memory, size_t size);

#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
