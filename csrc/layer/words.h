// A quick test for texts that need no translation.
#ifndef HALFCL_LAYER_WORDS_H
#define HALFCL_LAYER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

// It tells what a source has outside of comments and strings.
enum words {
    WORDS_NONE,
    WORDS_INCLUDES, // the names of files, which may bring anything
    WORDS_FOUND,    // a word that may bring halves or rounding modes
};

// WORDS_FOUND also if there is no memory to find out.
enum words words_in_source(const char *source, size_t size);

// A function that is called with the name of each file that a source includes. It returns
// whether to end the search.
typedef bool (*include_function)(void *context, const char *name, size_t length,
                                 bool is_quoted);

// Returns whether a source, of which files that it includes may be a part, has such a word, or
// a call of the function ended the search: also for what includes a file in another way. Then a
// part of a word counts, since macros of other files may make any of it.
bool words_in_part(const char *source, size_t size, include_function include, void *context);

// Returns whether the options have such a word, wherever.
bool words_in_options(const char *options);

#endif
