// Strings on the heap. All functions accept NULL for a string and abort nothing: they return
// NULL if there is no memory.
#ifndef HALFCL_LAYER_TEXT_H
#define HALFCL_LAYER_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __GNUC__
#define TEXT_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define TEXT_FORMAT(format, first)
#endif

// A copy of some bytes, with a zero behind them.
char *text_copy(const char *bytes, size_t size);

// A copy of a string.
char *text_duplicate(const char *text);

// Both strings, with a line's end between them if the first is not empty and has none.
char *text_join_lines(const char *first, const char *second);

// Puts `text_join_lines` of both in place of the first, unless the second is NULL. Returns
// false, and changes nothing, if there is no memory.
bool text_add_lines(char **lines, const char *more);

// Returns the text that printf would print.
char *text_print(const char *format, ...) TEXT_FORMAT(1, 2);
char *text_print_list(const char *format, va_list arguments) TEXT_FORMAT(1, 0);

// Returns whether one of the words of a list with blanks between them is `word`.
bool text_has_word(const char *list, const char *word);

// Returns whether both are NULL, or the same.
bool text_is_same(const char *one, const char *other);

#endif
