#include "log.h"

#include "system.h"

#include <stdlib.h>
#include <string.h>

static char *log_path;

// The path, in the working directory, which the program may change.
static char *make_absolute(const char *path)
{
    bool is_relative = strcmp(path, "-") && !system_is_absolute(path);
    char *folder = is_relative ? system_working_directory() : NULL;
    char *absolute =
        folder ? text_print("%s%c%s", folder, SYSTEM_SEPARATOR, path) : text_duplicate(path);
    free(folder);
    return absolute;
}

void log_open(const char *path)
{
    free(log_path);
    log_path = path && *path ? make_absolute(path) : NULL;
}

void log_line(const char *format, ...)
{
    if (!log_path)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *message = text_print_list(format, arguments);
    va_end(arguments);
    char *line = text_print("halfcl layer: %lu: %s\n", system_process_id(),
                            message ? message : "no memory for a message");
    if (line)
        system_append(log_path, line, strlen(line));
    free(line);
    free(message);
}

void log_once(atomic_flag *flag, const char *line)
{
    if (!atomic_flag_test_and_set(flag))
        log_line("%s", line);
}
