// Functions that differ between systems: locks, threads, the translator's process, paths.
#ifndef HALFCL_LAYER_SYSTEM_H
#define HALFCL_LAYER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
#include <windows.h>
typedef SRWLOCK system_lock;
#define SYSTEM_LOCK SRWLOCK_INIT
#define SYSTEM_SEPARATOR '\\'
#define SYSTEM_PATH_SEPARATOR ';'
#define SYSTEM_COMPARE_NAMES _strnicmp // of variables of the environment
#else
#include <pthread.h>
typedef pthread_mutex_t system_lock;
#define SYSTEM_LOCK PTHREAD_MUTEX_INITIALIZER
#define SYSTEM_SEPARATOR '/'
#define SYSTEM_PATH_SEPARATOR ':'
#define SYSTEM_COMPARE_NAMES strncmp // of variables of the environment
#endif

void system_acquire(system_lock *lock);
void system_release(system_lock *lock);

// Runs a function in a thread that nobody waits for. Returns false if there can be no thread.
bool system_start_thread(void (*run)(void *), void *argument);

// Has a function called before a fork, then one in the parent and one in the child.
void system_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

unsigned long system_process_id(void);

// A variable of the environment, to be freed; NULL without it.
char *system_variable(const char *name);

// Paths are in UTF-8 on Windows, and bytes elsewhere.

// The path of this library, to be freed; NULL if the system does not know it.
char *system_library_path(void);

// Keeps this library loaded: threads may be in it when a loader unloads its layers.
void system_keep_library(void);

void system_sleep(unsigned milliseconds);

// The path of the working directory, to be freed; NULL if there is none.
char *system_working_directory(void);

bool system_is_absolute(const char *path);

// Returns whether a path is a file with content: no folder, pipe or device.
bool system_is_file(const char *path);

// The bytes of a file, to be freed; NULL if it has more than `most`, or cannot be read.
char *system_read_file(const char *path, size_t most, size_t *size);

// Appends bytes to a file in one call, or writes them to standard error if `path` is "-".
void system_append(const char *path, const char *bytes, size_t size);

// The connection to the translator's process.
struct system_channel;

// Starts `python -P program`. `package` is the folder to search modules in, or NULL.
// Returns NULL if it cannot be started.
struct system_channel *system_connect(const char *python, const char *program,
                                      const char *package);

// Returns whether the channel is still what was opened: programs may close all their files.
bool system_is_connected(const struct system_channel *channel);
bool system_write(struct system_channel *channel, const void *bytes, size_t size);
bool system_read(struct system_channel *channel, void *bytes, size_t size);
void system_disconnect(struct system_channel *channel);

// The Python within a virtual environment's folder, to be freed; NULL if it is none.
char *system_python_of_environment(const char *folder);

// The Python that the system finds by its name.
extern const char system_python[];

#endif
