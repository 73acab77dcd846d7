#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text_copy(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        if (size)
            memcpy(copy, bytes, size);
        copy[size] = 0;
    }
    return copy;
}

char *text_duplicate(const char *text)
{
    return text_copy(text, text ? strlen(text) : 0);
}

char *text_join_lines(const char *first, const char *second)
{
    const char *head = first ? first : "", *tail = second ? second : "";
    size_t length = strlen(head);
    bool is_open = length && head[length - 1] != '\n' && *tail;
    return text_print("%s%s%s", head, is_open ? "\n" : "", tail);
}

bool text_add_lines(char **lines, const char *more)
{
    char *joined = more ? text_join_lines(*lines, more) : NULL;
    if (!joined)
        return !more;
    free(*lines);
    *lines = joined;
    return true;
}

char *text_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = text_print_list(format, arguments);
    va_end(arguments);
    return text;
}

char *text_print_list(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

bool text_has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length) {
        bool begins = at == list || at[-1] == ' ';
        if (begins && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

bool text_is_same(const char *one, const char *other)
{
    return one == other || (one && other && !strcmp(one, other));
}
