// Prints 1 or 0 for each line of standard input: whether the text, in which \n is a line's end,
// may need a translation. Compiled with words.c.
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

int main(void)
{
    static char line[100000];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        size_t size = read_escapes(line);
        printf("%d\n", words_in_source(line, size));
    }
    return 0;
}
