#include "words.h"

#include <stdlib.h>
#include <string.h>

// Parts of words that bring halves or modes, wherever they stand in an identifier.
static const char *const PARTS[] = {"fp16", "ROUNDING_MODE", "fprounding_mode", "HC_MODE",
                                    "imageh"};

// Whole identifiers: of files and pragmas that may bring anything.
static const char *const WHOLE[] = {"include_next", "import", "_Pragma"};
static const char INCLUDE[] = "include";

// Beginnings of identifiers that convert to half or from it, if "half" follows.
static const char *const CONVERSIONS[] = {"as_", "convert_", "vload", "vstore", "__builtin_"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

// The length of a line's end, with a backslash in front, that continues the line; 0 if none.
// Compilers accept blanks behind the backslash.
static size_t splice_length(const char *at, const char *end)
{
    if (*at != '\\')
        return 0;
    const char *behind = at + 1;
    while (behind < end && is_blank(*behind))
        behind++;
    return behind < end && *behind == '\n' ? (size_t)(behind - at) + 1 : 0;
}

// Copies a source without continued lines.
static size_t remove_splices(char *target, const char *source, size_t size)
{
    const char *end = source + size;
    size_t length = 0;
    while (source < end) {
        size_t splice = splice_length(source, end);
        if (splice)
            source += splice;
        else
            target[length++] = *source++;
    }
    return length;
}

// Returns the end of the comment that begins here; `at` if none does.
static const char *skip_comment(const char *at, const char *end)
{
    if (end - at < 2 || *at != '/')
        return at;
    if (at[1] == '/') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line ? line : end;
    }
    if (at[1] != '*')
        return at;
    for (at += 2; end - at >= 2; at++)
        if (at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

// Returns the end of the string or character that begins here; `at` if none does. One without
// an end in its line is no string, as an apostrophe in #error.
static const char *skip_string(const char *at, const char *end)
{
    if (!is_quote(*at))
        return at;
    for (const char *inner = at + 1; inner < end && *inner != '\n'; inner++) {
        if (*inner == *at)
            return inner + 1;
        if (*inner == '\\' && inner + 1 < end)
            inner++;
    }
    return at;
}

static const char *find(const char *word, size_t length, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= length; i++)
        if (!memcmp(word + i, part, size))
            return word + i;
    return NULL;
}

static bool begins(const char *word, size_t length, const char *part)
{
    return length >= strlen(part) && !memcmp(word, part, strlen(part));
}

static bool is_type(const char *word, size_t length)
{
    if (!begins(word, length, "half"))
        return false;
    for (size_t i = 4; i < length; i++)
        if (!is_digit(word[i]))
            return false;
    return true;
}

// Returns whether an identifier is a constant of half: HALF_MAX, M_PI_H.
static bool is_constant(const char *word, size_t length)
{
    return begins(word, length, "HALF_") ||
           (begins(word, length, "M_") && !memcmp(word + length - 2, "_H", 2));
}

static bool is_identifier_of_half(const char *word, size_t length, bool has_pasting)
{
    for (size_t i = 0; i < COUNT(PARTS); i++)
        if (find(word, length, PARTS[i]))
            return true;
    for (size_t i = 0; i < COUNT(WHOLE); i++)
        if (length == strlen(WHOLE[i]) && !memcmp(word, WHOLE[i], length))
            return true;
    if (is_constant(word, length))
        return true;
    if (!find(word, length, "half"))
        return false;
    for (size_t i = 0; i < COUNT(CONVERSIONS); i++)
        if (begins(word, length, CONVERSIONS[i]))
            return true;
    // Macros may make any word of others.
    return has_pasting || is_type(word, length);
}

// Returns the end of a word or number. A sign behind the e or p of an exponent belongs to a
// number; it makes no difference here.
static const char *skip_word(const char *at, const char *end)
{
    bool is_number = is_digit(*at);
    while (at < end && (is_letter(*at) || is_digit(*at) || (is_number && *at == '.')))
        at++;
    return at;
}

static bool is_word_of_half(const char *word, const char *end, bool has_pasting)
{
    size_t length = (size_t)(end - word);
    if (is_digit(*word))
        return end[-1] == 'h' || end[-1] == 'H'; // a literal of half
    return is_identifier_of_half(word, length, has_pasting);
}

// The place of a file's name behind `include`, up to its closing quote; NULL if it is none.
static const char *find_name(const char *at, const char *end, char *closing)
{
    while (at < end && is_blank(*at))
        at++;
    if (at == end || (*at != '"' && *at != '<'))
        return NULL;
    *closing = *at == '<' ? '>' : '"';
    const char *name = at + 1;
    for (at = name; at < end && *at != '\n'; at++)
        if (*at == *closing)
            return at > name ? name : NULL;
    return NULL;
}

// It says what is done with includes, and whether parts of words count.
struct search {
    include_function include;
    void *context;
    bool has_pasting;
};

// Looks at a word. Returns whether the search ends; `*behind` may go on behind a file's name.
static bool look_at_word(const struct search *search, const char *word, const char **behind,
                         const char *end)
{
    size_t length = (size_t)(*behind - word);
    if (length != sizeof INCLUDE - 1 || memcmp(word, INCLUDE, length))
        return is_word_of_half(word, *behind, search->has_pasting);
    char closing;
    const char *name = find_name(*behind, end, &closing);
    if (!name) // a macro names it, say
        return true;
    const char *name_end = memchr(name, closing, (size_t)(end - name));
    *behind = name_end + 1;
    return search->include(search->context, name, (size_t)(name_end - name), closing == '"');
}

static bool run(const struct search *search, const char *at, const char *end)
{
    // Compilers differ in whether a comment begins behind a quote without an end: its words
    // count.
    bool is_quoted = false;
    while (at < end) {
        const char *behind = is_quoted ? at : skip_comment(at, end);
        if (behind == at && !is_quoted)
            behind = skip_string(at, end);
        if (behind == at && (is_quote(*at) || *at == '\n'))
            is_quoted = *at != '\n';
        if (behind == at && (is_letter(*at) || is_digit(*at))) {
            behind = skip_word(at, end);
            if (look_at_word(search, at, &behind, end))
                return true;
        }
        at = behind == at ? at + 1 : behind;
    }
    return false;
}

// Searches a source without its continued lines.
static bool search_source(struct search *search, const char *source, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return true;
    size_t length = remove_splices(text, source, size);
    text[length] = 0;
    search->has_pasting =
        search->has_pasting || find(text, length, "##") || find(text, length, "%:%:");
    bool has_words = run(search, text, text + length);
    free(text);
    return has_words;
}

static bool note_include(void *has_includes, const char *name, size_t length, bool is_quoted)
{
    (void)name, (void)length, (void)is_quoted;
    *(bool *)has_includes = true;
    return false;
}

enum words words_in_source(const char *source, size_t size)
{
    bool has_includes = false;
    struct search search = {note_include, &has_includes, false};
    if (search_source(&search, source, size))
        return WORDS_FOUND;
    return has_includes ? WORDS_INCLUDES : WORDS_NONE;
}

bool words_in_part(const char *source, size_t size, include_function include, void *context)
{
    struct search search = {include, context, true};
    return search_source(&search, source, size);
}

bool words_in_options(const char *options)
{
    if (!options)
        return false;
    for (size_t i = 0; i < COUNT(PARTS); i++)
        if (strstr(options, PARTS[i]))
            return true;
    return strstr(options, "half") != NULL;
}
