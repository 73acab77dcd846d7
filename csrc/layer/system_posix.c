// POSIX; the channel is a socket, and a shell starts the process in the background.
#ifndef _WIN32
#define _GNU_SOURCE // dladdr, environ

#include "system.h"

#include "environment.h"
#include "text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // macOS has an option of the socket
#endif

extern char **environ;

const char system_python[] = "python3";

// Programs expect the lowest numbers for their own files.
static const int LOWEST_FILE = 100;

// Runs what follows in the background: it is then not a child of the program, whose wait()
// would wait for it, and it ignores interrupts of the terminal.
static const char START[] = "\"$@\" <&3 >&3 3>&- &";

struct system_channel {
    int file;
    dev_t device; // of the file when it was opened
    ino_t number;
};

void system_acquire(system_lock *lock)
{
    pthread_mutex_lock(lock);
}

void system_release(system_lock *lock)
{
    pthread_mutex_unlock(lock);
}

char *system_variable(const char *name)
{
    const char *value = getenv(name);
    return value ? text_duplicate(value) : NULL;
}

struct call {
    void (*run)(void *);
    void *argument;
};

static void *run_call(void *argument)
{
    struct call call = *(struct call *)argument;
    free(argument);
    call.run(call.argument);
    return NULL;
}

// Starts a thread with all signals blocked: the program's handlers run in its own threads.
static bool create_thread(struct call *call)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_running = !pthread_create(&thread, NULL, run_call, call);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_running)
        pthread_detach(thread);
    return is_running;
}

bool system_start_thread(void (*run)(void *), void *argument)
{
    struct call *call = malloc(sizeof *call);
    if (!call)
        return false;
    *call = (struct call){run, argument};
    if (create_thread(call))
        return true;
    free(call);
    return false;
}

void system_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    pthread_atfork(before, in_parent, in_child);
}

unsigned long system_process_id(void)
{
    return (unsigned long)getpid();
}

char *system_library_path(void)
{
    Dl_info info;
    if (!dladdr(START, &info) || !info.dli_fname)
        return NULL;
    return realpath(info.dli_fname, NULL);
}

void system_keep_library(void)
{
    char *path = system_library_path();
    if (path)
        dlopen(path, RTLD_LAZY | RTLD_NODELETE);
    free(path);
}

void system_sleep(unsigned milliseconds)
{
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

char *system_working_directory(void)
{
    return realpath(".", NULL);
}

bool system_is_absolute(const char *path)
{
    return *path == '/';
}

// A call that transfers some bytes: write, send or recv.
typedef ssize_t transfer(int file, char *bytes, size_t size);

static ssize_t write_some(int file, char *bytes, size_t size)
{
    return write(file, bytes, size);
}

static ssize_t send_some(int file, char *bytes, size_t size)
{
    return send(file, bytes, size, MSG_NOSIGNAL);
}

static ssize_t receive_some(int file, char *bytes, size_t size)
{
    return recv(file, bytes, size, 0);
}

static bool transfer_all(transfer *some, int file, char *bytes, size_t size)
{
    while (size) {
        ssize_t count = some(file, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

void system_append(const char *path, const char *bytes, size_t size)
{
    if (!strcmp(path, "-")) {
        transfer_all(write_some, STDERR_FILENO, (char *)bytes, size);
        return;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    transfer_all(write_some, file, (char *)bytes, size);
    close(file);
}

bool system_is_file(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISREG(about.st_mode);
}

static ssize_t read_some(int file, char *bytes, size_t size)
{
    return read(file, bytes, size);
}

// Reads what an open file has.
static char *read_all(int file, size_t most, size_t *size)
{
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode) || about.st_size < 0 ||
        (uintmax_t)about.st_size > most)
        return NULL;
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    if (bytes && transfer_all(read_some, file, bytes, *size))
        return bytes;
    free(bytes);
    return NULL;
}

char *system_read_file(const char *path, size_t most, size_t *size)
{
    // Without waiting: it may be a pipe by now.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    char *bytes = read_all(file, most, size);
    close(file);
    return bytes;
}

// Moves a file to a high number that is closed in other programs. Returns -1 on failure.
static int raise_file(int file)
{
    int raised = fcntl(file, F_DUPFD_CLOEXEC, LOWEST_FILE);
    close(file);
    return raised;
}

// Makes two connected sockets.
static bool make_sockets(int sockets[2])
{
    int pair[2];
    int type = SOCK_STREAM;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC; // other threads may start programs
#endif
    if (socketpair(AF_UNIX, type, 0, pair))
        return false;
#ifdef SO_NOSIGPIPE
    setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    for (int i = 0; i < 2; i++)
        sockets[i] = raise_file(pair[i]);
    if (sockets[0] >= 0 && sockets[1] >= 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    return false;
}

// The variables for the translator; only the list itself is to be freed. `addition` may be
// NULL.
static char **make_environment(char *addition)
{
    size_t count = 0, length = 0;
    while (environ && environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (environment_passes(environ[i], addition != NULL))
            list[length++] = environ[i];
    list[length] = addition;
    return list;
}

// Starts the process with no signals blocked, and none ignored but those that the shell lets it
// ignore.
static void set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, changed;
    sigemptyset(&none);
    sigfillset(&changed);
    sigdelset(&changed, SIGKILL);
    sigdelset(&changed, SIGSTOP);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &changed);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

// Waits for the shell, which ends at once. Returns false if it could not start anything.
static bool wait_for_shell(pid_t shell)
{
    int status = 0;
    while (waitpid(shell, &status, 0) < 0)
        if (errno != EINTR)
            return true; // the program ignores its children, or has waited for this one
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool start_process(int input, const char *python, const char *program,
                          char **environment)
{
    char *arguments[] = {"sh",           "-c", (char *)START,   "sh",
                         (char *)python, "-P", (char *)program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t shell;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    posix_spawnattr_init(&attributes);
    set_signals(&attributes);
    bool is_running =
        !posix_spawn_file_actions_adddup2(&actions, input, 3) &&
        !posix_spawn(&shell, "/bin/sh", &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return is_running && wait_for_shell(shell);
}

// Returns whether a program can be found; the shell would find out only in the background.
static bool is_executable(const char *program)
{
    if (strchr(program, '/'))
        return !access(program, X_OK);
    char *folders = text_duplicate(getenv("PATH")), *state = NULL;
    bool is_there = false;
    for (char *folder = folders ? strtok_r(folders, ":", &state) : NULL; folder && !is_there;
         folder = strtok_r(NULL, ":", &state)) {
        char *path = text_print("%s/%s", folder, program);
        is_there = path && !access(path, X_OK);
        free(path);
    }
    free(folders);
    return is_there;
}

static struct system_channel *make_channel(int file)
{
    struct stat about;
    struct system_channel *channel = malloc(sizeof *channel);
    if (channel && !fstat(file, &about)) {
        *channel = (struct system_channel){file, about.st_dev, about.st_ino};
        return channel;
    }
    free(channel);
    close(file);
    return NULL;
}

struct system_channel *system_connect(const char *python, const char *program,
                                      const char *package)
{
    int sockets[2];
    if (!is_executable(python) || !make_sockets(sockets))
        return NULL;
    char *addition = package ? environment_python_path(package) : NULL;
    char **environment = make_environment(addition);
    bool is_running = environment && start_process(sockets[1], python, program, environment);
    free(environment);
    free(addition);
    close(sockets[1]);
    if (is_running)
        return make_channel(sockets[0]);
    close(sockets[0]);
    return NULL;
}

bool system_is_connected(const struct system_channel *channel)
{
    struct stat about;
    return !fstat(channel->file, &about) && about.st_dev == channel->device &&
           about.st_ino == channel->number;
}

bool system_write(struct system_channel *channel, const void *bytes, size_t size)
{
    return transfer_all(send_some, channel->file, (char *)bytes, size);
}

bool system_read(struct system_channel *channel, void *bytes, size_t size)
{
    return transfer_all(receive_some, channel->file, bytes, size);
}

void system_disconnect(struct system_channel *channel)
{
    if (system_is_connected(channel))
        close(channel->file);
    free(channel);
}

char *system_python_of_environment(const char *folder)
{
    char *mark = text_print("%s/pyvenv.cfg", folder);
    char *python = text_print("%s/bin/python3", folder);
    bool is_there = mark && python && !access(mark, R_OK) && !access(python, X_OK);
    free(mark);
    if (is_there)
        return python;
    free(python);
    return NULL;
}

#endif
