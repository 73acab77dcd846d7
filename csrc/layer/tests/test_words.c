// `test_words [OPTIONS [HEADER...]]` prints 1 or 0 for each line of standard input: whether the
// text, in which \n is a line's end, may need a translation. Compiled with words.c and
// includes.c.
#include "../includes.h"
#include "../words.h"

#include <stdio.h>
#include <string.h>

// Replaces `\n` by a line's end.
static size_t read_escapes(char *text)
{
    char *target = text;
    for (const char *at = text; *at; at++) {
        if (at[0] == '\\' && at[1] == 'n') {
            *target++ = '\n';
            at++;
        } else {
            *target++ = *at;
        }
    }
    return (size_t)(target - text);
}

static bool may_need(const char *text, size_t size, int count, char **arguments)
{
    enum words words = words_in_source(text, size);
    const char *options = count > 1 ? arguments[1] : NULL;
    if (words == WORDS_FOUND || words_in_options(options))
        return true;
    size_t headers = count > 2 ? (size_t)count - 2 : 0;
    return words == WORDS_INCLUDES &&
           includes_bring_words(text, size, options, (const char *const *)arguments + 2,
                                headers);
}

int main(int count, char **arguments)
{
    static char line[100000];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        size_t size = read_escapes(line);
        printf("%d\n", may_need(line, size, count, arguments));
    }
    return 0;
}
