#include "translator.h"

#include "entry.h"
#include "log.h"
#include "system.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char PROTOCOL[] = "1";

static system_lock lock = SYSTEM_LOCK;
static struct system_channel *channel; // NULL while there is no process

static bool read_from_channel(void *source, void *bytes, size_t size)
{
    return system_read(source, bytes, size);
}

static bool exchange(const struct message *request, struct fields *answer)
{
    return !request->has_failed && system_write(channel, request->bytes, request->size) &&
           fields_read(answer, read_from_channel, channel);
}

static void disconnect(void)
{
    if (channel)
        system_disconnect(channel);
    channel = NULL;
}

// Cuts the last name off a path. Returns false if there is none.
static bool cut_name(char *path)
{
    char *separator = strrchr(path, SYSTEM_SEPARATOR);
    if (!separator)
        return false;
    *separator = 0;
    return true;
}

// The Python of the virtual environment that the library lies in; NULL if it lies in none.
static char *python_above(const char *library)
{
    char *folder = text_duplicate(library);
    char *python = NULL;
    while (folder && !python && cut_name(folder))
        python = system_python_of_environment(folder);
    free(folder);
    return python;
}

// The folder that has the package of the library: PACKAGES/halfcl/cl/_layer/LIBRARY.
static char *folder_of_package(const char *library)
{
    char *folder = text_duplicate(library);
    for (int i = 0; folder && i < 4; i++)
        if (!cut_name(folder)) {
            free(folder);
            return NULL;
        }
    return folder;
}

// The file beside the library that is the translator, to be freed.
static char *path_of_translator(const char *library)
{
    char *folder = text_duplicate(library);
    bool has_folder = folder && cut_name(folder);
    char *path = has_folder ? text_print("%s%c__main__.py", folder, SYSTEM_SEPARATOR) : NULL;
    free(folder);
    return path;
}

static struct system_channel *start(void)
{
    char *library = system_library_path();
    char *package = NULL;
    char *python =
        settings()->python ? text_duplicate(settings()->python) : python_above(library);
    if (!python) {
        python = text_duplicate(system_python);
        package = folder_of_package(library);
    }
    char *program = path_of_translator(library);
    bool can_start = python && program;
    struct system_channel *started =
        can_start ? system_connect(python, program, package) : NULL;
    log_line("%s the translator by %s", started ? "started" : "cannot start",
             python ? python : "Python");
    free(program);
    free(python);
    free(package);
    free(library);
    return started;
}

// Asks which protocol the translator speaks. Returns NULL, or an error.
static char *greet(void)
{
    struct message hello;
    struct fields answer;
    message_begin(&hello);
    message_add(&hello, "command", "hello");
    bool has_answer = exchange(&hello, &answer);
    message_free(&hello);
    if (!has_answer)
        return text_duplicate(
            "halfcl's translator ended when it was started: expected a Python with "
            "halfcl[kernels]; set HALFCL_LAYER_PYTHON, or run the program by "
            "python -m halfcl layer");
    const char *protocol = fields_find(&answer, "protocol");
    const char *version = fields_find(&answer, "version");
    char *error = NULL;
    if (!text_is_same(protocol, PROTOCOL))
        error =
            text_print("halfcl's translator: expected protocol %s, got %s; use the library and "
                       "the Python package of one installation",
                       PROTOCOL, protocol ? protocol : "none");
    log_line("the translator is halfcl %s", version ? version : "of an unknown version");
    fields_free(&answer);
    return error;
}

static char *ensure_connection(void)
{
    if (channel && !system_is_connected(channel)) {
        log_line("the program closed the translator's connection");
        disconnect();
    }
    if (channel)
        return NULL;
    channel = start();
    if (!channel)
        return text_duplicate(
            "halfcl's translator: no Python was found; set HALFCL_LAYER_PYTHON, or "
            "run the program by python -m halfcl layer");
    char *error = greet();
    if (error)
        disconnect();
    return error;
}

static char *ask(const struct message *request, struct fields *answer)
{
    if (request->has_failed)
        return text_duplicate("halfcl: no memory for a request to the translator");
    for (int attempt = 0; attempt < 2; attempt++) {
        char *error = ensure_connection();
        if (error)
            return error;
        if (exchange(request, answer))
            return NULL;
        log_line("the translator ended during a request");
        disconnect();
    }
    return text_duplicate("halfcl's translator ended twice while it translated this program");
}

char *translator_ask(const struct message *request, struct fields *answer)
{
    system_acquire(&lock);
    char *error = ask(request, answer);
    system_release(&lock);
    return error;
}

void translator_stop(void)
{
    system_acquire(&lock);
    disconnect();
    system_release(&lock);
}

static void do_nothing(void)
{
}

// The lock may be another thread's, which the child does not have. The channel is then in use
// by the parent: the child only closes its copy.
static void forget_in_child(void)
{
    lock = (system_lock)SYSTEM_LOCK;
    disconnect();
}

void translator_prepare_for_forks(void)
{
    system_at_fork(do_nothing, do_nothing, forget_in_child);
}
