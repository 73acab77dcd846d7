#include "failing.h"

#include <stdatomic.h>
#include <stdbool.h>

#undef malloc
#undef calloc
#undef realloc

// Returns whether this allocation is the one that fails: the first is 0.
static bool fails(void)
{
    static atomic_int count;
    const char *number = getenv("FAIL_AT");
    return number && atomic_fetch_add(&count, 1) == atoi(number);
}

void *failing_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

void *failing_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

void *failing_realloc(void *memory, size_t size)
{
    return fails() ? NULL : realloc(memory, size);
}
