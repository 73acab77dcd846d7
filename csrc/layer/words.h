// A quick test for texts that need no translation.
#ifndef HALFCL_LAYER_WORDS_H
#define HALFCL_LAYER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

// Returns whether a source has, outside of comments and strings, a word that may bring halves
// or rounding modes. True if there is no memory to find out.
bool words_in_source(const char *source, size_t size);

// Returns whether the options have such a word, wherever.
bool words_in_options(const char *options);

#endif
