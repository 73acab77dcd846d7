// A quick test of the files that a source includes.
#ifndef HALFCL_LAYER_INCLUDES_H
#define HALFCL_LAYER_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

// Returns whether a source, or a file that it may include, in whatever branch, has a word that
// may bring halves or rounding modes, or includes one that is not found. `options` has the
// folders of -I; `headers` are names of files that are known to have none.
bool includes_bring_words(const char *source, size_t size, const char *options,
                          const char *const *headers, size_t header_count);

#endif
