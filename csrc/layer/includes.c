#include "includes.h"

#include "system.h"
#include "text.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

// The most bytes of all files, and of files that include each other.
enum { MOST_BYTES = 16 << 20, MOST_DEPTH = 100, MOST_FILES = 10000 };

// A list of strings.
struct list {
    char **items;
    size_t count;
};

struct scan {
    const char *const *headers;
    size_t header_count;
    struct list folders; // of -I, with separators behind them
    struct list done;    // paths of files that were searched
    size_t bytes;
};

// A file that is being searched.
struct file {
    struct scan *scan;
    char *folder; // in which it lies, with a separator; "" for the source
    unsigned depth;
};

static bool add(struct list *list, char *item)
{
    char **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items)
        list->items = items;
    if (!items || !item) {
        free(item);
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

static bool has(const struct list *list, const char *item)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], item))
            return true;
    return false;
}

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

static const char BLANKS[] = " \t\n\v\f\r";

// Finds the folders of -I. Returns false for options that are not so simple.
static bool read_folders(struct list *folders, const char *options)
{
    if (!options)
        return true;
    if (strpbrk(options, "\"'\\"))
        return false;
    for (const char *at = options + strspn(options, BLANKS); *at; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);
        bool is_folder = length >= 2 && !memcmp(at, "-I", 2);
        if (is_folder && length == 2) { // the next word is the folder
            at += 2;
            at += strspn(at, BLANKS);
            length = strcspn(at, BLANKS);
        } else if (is_folder) {
            at += 2;
            length -= 2;
        }
        if (is_folder &&
            (!length || !add(folders, text_print("%.*s%c", (int)length, at, SYSTEM_SEPARATOR))))
            return false;
        at += length;
    }
    return true;
}

static bool include(void *context, const char *name, size_t length, bool is_quoted);

// The folder of a path, with its separator, to be freed; NULL if there is no memory.
static char *folder_of(const char *path)
{
    const char *end = strrchr(path, SYSTEM_SEPARATOR), *other = strrchr(path, '/');
    end = !end || (other && other > end) ? other : end;
    return text_copy(path, end ? (size_t)(end - path) + 1 : 0);
}

// Searches a file that was read.
static bool search_bytes(const struct file *from, const char *path, const char *bytes,
                         size_t size)
{
    struct file file = {from->scan, folder_of(path), from->depth + 1};
    bool brings =
        !file.folder || file.depth > MOST_DEPTH || words_in_part(bytes, size, include, &file);
    free(file.folder);
    return brings;
}

// Searches a file if it is there. Returns whether it is; `*brings` then says whether it may
// bring words.
static bool search_path(const struct file *from, char *path, bool *brings)
{
    struct scan *scan = from->scan;
    size_t size;
    if (!path || !system_is_file(path)) {
        free(path);
        return false;
    }
    *brings = false;
    if (has(&scan->done, path)) {
        free(path);
        return true;
    }
    char *bytes = system_read_file(path, MOST_BYTES - scan->bytes, &size);
    scan->bytes += bytes ? size : 0;
    *brings = !add(&scan->done, path) || !bytes || scan->done.count > MOST_FILES ||
              search_bytes(from, path, bytes, size);
    free(bytes);
    return true;
}

static bool is_header(const struct scan *scan, const char *name, size_t length)
{
    for (size_t i = 0; i < scan->header_count; i++)
        if (scan->headers[i] && strlen(scan->headers[i]) == length &&
            !memcmp(scan->headers[i], name, length))
            return true;
    return false;
}

// Returns whether a file that is included may bring words; also if it is not found.
static bool include(void *context, const char *name, size_t length, bool is_quoted)
{
    const struct file *file = context;
    const struct scan *scan = file->scan;
    bool brings = true;
    if (is_header(scan, name, length))
        return false;
    char *path = text_copy(name, length);
    bool is_found = false;
    if (path && system_is_absolute(path))
        is_found = search_path(file, text_duplicate(path), &brings);
    else if (path && is_quoted)
        is_found = search_path(file, text_print("%s%s", file->folder, path), &brings);
    for (size_t i = 0; path && !is_found && i < scan->folders.count; i++)
        is_found = search_path(file, text_print("%s%s", scan->folders.items[i], path), &brings);
    free(path);
    return brings;
}

bool includes_bring_words(const char *source, size_t size, const char *options,
                          const char *const *headers, size_t header_count)
{
    struct scan scan = {.headers = headers, .header_count = header_count};
    char folder[] = "";
    struct file file = {&scan, folder, 0};
    bool brings =
        !read_folders(&scan.folders, options) || words_in_part(source, size, include, &file);
    free_list(&scan.folders);
    free_list(&scan.done);
    return brings;
}
