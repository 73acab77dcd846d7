/* Takes from a file or a string the characters that can make up one number, for
 * halfcl_parse to read: by character and whatever the locale, as NumPy takes them for its
 * own types, with hexadecimal digits and the suffix h besides. */
#ifndef HALFCL_SCAN_H
#define HALFCL_SCAN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers are short; longer ones go to memory of their own, up to what nobody writes. */
enum { HALFCL_SHORT_NUMBER = 256, HALFCL_LONGEST_NUMBER = 1 << 20 };

typedef struct {
    FILE *file;     /* NULL: at */
    const char *at; /* the next character of a string */
    int c;          /* the current character; EOF at the end of either */
    size_t spaces;  /* how many came first */
    size_t n, size;
    char *text; /* what was taken: here, or on the heap */
    char here[HALFCL_SHORT_NUMBER];
    bool hexadecimal, no_memory, too_long;
} halfcl_scanner;

static inline void halfcl_scan_next(halfcl_scanner *in)
{
    if (in->file)
        in->c = getc(in->file);
    else if (in->c != EOF) /* not beyond the NUL */
        in->c = *in->at ? (unsigned char)*in->at++ : EOF;
}

static inline void halfcl_scan_grow(halfcl_scanner *in)
{
    size_t size = 2 * in->size;
    char *text = size > HALFCL_LONGEST_NUMBER ? NULL : malloc(size);
    in->too_long = size > HALFCL_LONGEST_NUMBER;
    in->no_memory = !text && !in->too_long;
    if (!text)
        return;
    memcpy(text, in->text, in->n);
    if (in->text != in->here)
        free(in->text);
    in->text = text;
    in->size = size;
}

static inline void halfcl_scan_take(halfcl_scanner *in)
{
    if (in->n == in->size && !in->no_memory && !in->too_long)
        halfcl_scan_grow(in);
    if (in->n < in->size)
        in->text[in->n++] = (char)in->c;
    halfcl_scan_next(in);
}

static inline bool halfcl_is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline int halfcl_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static inline bool halfcl_is_digit(int c, bool hexadecimal)
{
    return (c >= '0' && c <= '9') ||
           (hexadecimal && halfcl_lower(c) >= 'a' && halfcl_lower(c) <= 'f');
}

static inline bool halfcl_scan_letter(halfcl_scanner *in, char letter)
{
    bool is = halfcl_lower(in->c) == letter;
    if (is)
        halfcl_scan_take(in);
    return is;
}

static inline void halfcl_scan_word(halfcl_scanner *in, const char *word)
{
    while (*word && halfcl_scan_letter(in, *word))
        word++;
}

static inline void halfcl_scan_digits(halfcl_scanner *in, bool hexadecimal)
{
    while (halfcl_is_digit(in->c, hexadecimal))
        halfcl_scan_take(in);
}

static inline void halfcl_scan_sign(halfcl_scanner *in)
{
    if (in->c == '+' || in->c == '-')
        halfcl_scan_take(in);
}

/* Skip the payload that may follow nan, as in nan(1); it is ignored. */
static inline void halfcl_scan_payload(halfcl_scanner *in)
{
    if (in->n < 3 || !halfcl_scan_letter(in, '('))
        return;
    while (halfcl_is_digit(in->c, false) || in->c == '_' ||
           (halfcl_lower(in->c) >= 'a' && halfcl_lower(in->c) <= 'z'))
        halfcl_scan_take(in);
    halfcl_scan_letter(in, ')');
}

static inline void halfcl_scan_digits_and_exponent(halfcl_scanner *in)
{
    if (halfcl_scan_letter(in, '0'))
        in->hexadecimal = halfcl_scan_letter(in, 'x');
    halfcl_scan_digits(in, in->hexadecimal);
    if (halfcl_scan_letter(in, '.'))
        halfcl_scan_digits(in, in->hexadecimal);
    if (halfcl_scan_letter(in, in->hexadecimal ? 'p' : 'e')) {
        halfcl_scan_sign(in);
        halfcl_scan_digits(in, false);
    }
    halfcl_scan_letter(in, 'h');
}

/* After white space. Then halfcl_scan_end must be called. */
static inline void halfcl_scan(halfcl_scanner *in, FILE *file, const char *string)
{
    in->file = file;
    in->at = string;
    in->c = 0;
    in->spaces = in->n = 0;
    in->size = sizeof in->here;
    in->text = in->here;
    in->hexadecimal = in->no_memory = in->too_long = false;
    halfcl_scan_next(in);
    for (; halfcl_is_space(in->c); in->spaces++)
        halfcl_scan_next(in);
    halfcl_scan_sign(in);
    if (halfcl_lower(in->c) == 'n') {
        halfcl_scan_word(in, "nan");
        halfcl_scan_payload(in);
    } else if (halfcl_lower(in->c) == 'i') {
        halfcl_scan_word(in, "infinity");
    } else {
        halfcl_scan_digits_and_exponent(in);
    }
}

/* Gives the character after the number back to the file. */
static inline void halfcl_scan_end(halfcl_scanner *in)
{
    if (in->file && in->c != EOF)
        ungetc(in->c, in->file);
    if (in->text != in->here)
        free(in->text);
}

#endif
