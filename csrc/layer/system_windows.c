// Windows; the channel is two pipes, and a job ends the process with the program. Paths are in
// UTF-8 within the layer, as Python expects them, and in UTF-16 for the system.
#ifdef _WIN32
#include "system.h"

#include "environment.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

const char system_python[] = "python.exe";

#define LONGEST_PATH 32768

struct system_channel {
    HANDLE input, output; // of the layer: from the process, and to it
    HANDLE job;
};

void system_acquire(system_lock *lock)
{
    AcquireSRWLockExclusive(lock);
}

void system_release(system_lock *lock)
{
    ReleaseSRWLockExclusive(lock);
}

// A text in UTF-16, to be freed; NULL if there is no memory, or it is NULL.
static wchar_t *widen(const char *text)
{
    int size = text ? MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0) : 0;
    wchar_t *wide = size ? malloc((size_t)size * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size);
    return wide;
}

// A text in UTF-8, to be freed; NULL as above.
static char *narrow(const wchar_t *wide)
{
    int size = wide ? WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL) : 0;
    char *text = size ? malloc((size_t)size) : NULL;
    if (text)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

char *system_variable(const char *name)
{
    wchar_t *wide = widen(name);
    DWORD room = wide ? GetEnvironmentVariableW(wide, NULL, 0) : 0;
    wchar_t *value = room ? malloc(room * sizeof *value) : NULL;
    DWORD length = value ? GetEnvironmentVariableW(wide, value, room) : 0;
    char *text = value && length < room ? narrow(value) : NULL;
    free(value);
    free(wide);
    return text;
}

struct call {
    void (*run)(void *);
    void *argument;
};

static DWORD WINAPI run_call(void *argument)
{
    struct call call = *(struct call *)argument;
    free(argument);
    call.run(call.argument);
    return 0;
}

bool system_start_thread(void (*run)(void *), void *argument)
{
    struct call *call = malloc(sizeof *call);
    if (!call)
        return false;
    *call = (struct call){run, argument};
    HANDLE thread = CreateThread(NULL, 0, run_call, call, 0, NULL);
    if (!thread) {
        free(call);
        return false;
    }
    CloseHandle(thread);
    return true;
}

// There are no forks.
void system_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before, (void)in_parent, (void)in_child;
}

unsigned long system_process_id(void)
{
    return GetCurrentProcessId();
}

static HMODULE this_library(DWORD flags)
{
    HMODULE library = NULL;
    GetModuleHandleExA(flags | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, system_python, &library);
    return library;
}

char *system_library_path(void)
{
    wchar_t path[LONGEST_PATH];
    HMODULE library = this_library(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT);
    DWORD length = library ? GetModuleFileNameW(library, path, LONGEST_PATH) : 0;
    return length && length < LONGEST_PATH ? narrow(path) : NULL;
}

void system_keep_library(void)
{
    this_library(GET_MODULE_HANDLE_EX_FLAG_PIN);
}

void system_sleep(unsigned milliseconds)
{
    Sleep(milliseconds);
}

char *system_working_directory(void)
{
    wchar_t path[LONGEST_PATH];
    DWORD length = GetCurrentDirectoryW(LONGEST_PATH, path);
    return length && length < LONGEST_PATH ? narrow(path) : NULL;
}

bool system_is_absolute(const char *path)
{
    return *path == '\\' || *path == '/' || (*path && path[1] == ':');
}

static bool write_all(HANDLE file, const char *bytes, size_t size)
{
    while (size) {
        DWORD count = 0, most = size > 1u << 30 ? 1u << 30 : (DWORD)size;
        if (!WriteFile(file, bytes, most, &count, NULL) || !count)
            return false;
        bytes += count;
        size -= count;
    }
    return true;
}

bool system_is_file(const char *path)
{
    wchar_t *wide = widen(path);
    DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

// Reads what an open file has.
static char *read_all(HANDLE file, size_t most, size_t *size)
{
    LARGE_INTEGER length;
    if (!GetFileSizeEx(file, &length) || (unsigned long long)length.QuadPart > most)
        return NULL;
    *size = (size_t)length.QuadPart;
    char *bytes = malloc(*size + 1);
    DWORD count = 0;
    if (bytes && ReadFile(file, bytes, (DWORD)*size, &count, NULL) && count == *size)
        return bytes;
    free(bytes);
    return NULL;
}

// Opens a file of a path in UTF-8; others may read and write it meanwhile.
static HANDLE open_file(const char *path, DWORD access, DWORD creation)
{
    wchar_t *wide = widen(path);
    HANDLE file = wide ? CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                     creation, FILE_ATTRIBUTE_NORMAL, NULL)
                       : INVALID_HANDLE_VALUE;
    free(wide);
    return file;
}

char *system_read_file(const char *path, size_t most, size_t *size)
{
    HANDLE file = open_file(path, GENERIC_READ, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    char *bytes = read_all(file, most, size);
    CloseHandle(file);
    return bytes;
}

void system_append(const char *path, const char *bytes, size_t size)
{
    if (!strcmp(path, "-")) {
        write_all(GetStdHandle(STD_ERROR_HANDLE), bytes, size);
        return;
    }
    HANDLE file = open_file(path, FILE_APPEND_DATA, OPEN_ALWAYS);
    if (file == INVALID_HANDLE_VALUE)
        return;
    write_all(file, bytes, size);
    CloseHandle(file);
}

// Adds a variable to a block of them, in which each ends with a zero.
static wchar_t *add_variable(wchar_t *target, const wchar_t *variable)
{
    size_t size = wcslen(variable) + 1;
    memcpy(target, variable, size * sizeof *variable);
    return target + size;
}

static size_t block_size(const wchar_t *block)
{
    const wchar_t *end = block;
    while (*end)
        end += wcslen(end) + 1;
    return (size_t)(end - block) + 1;
}

static bool passes(const wchar_t *variable, bool has_package)
{
    char *text = narrow(variable);
    bool does_pass = text && environment_passes(text, has_package);
    free(text);
    return does_pass;
}

// The variables for the translator, to be freed. `addition` may be NULL.
static wchar_t *make_environment(const wchar_t *addition)
{
    wchar_t *all = GetEnvironmentStringsW();
    size_t room = all ? block_size(all) + (addition ? wcslen(addition) + 1 : 0) : 0;
    wchar_t *block = room ? malloc(room * sizeof *block) : NULL, *target = block;
    for (const wchar_t *at = all; block && *at; at += wcslen(at) + 1)
        if (passes(at, addition != NULL))
            target = add_variable(target, at);
    if (block && addition)
        target = add_variable(target, addition);
    if (block)
        *target = 0;
    if (all)
        FreeEnvironmentStringsW(all);
    return block;
}

// A job whose processes end when its last handle closes, as it does when the program ends.
static HANDLE make_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    HANDLE job = CreateJobObjectA(NULL, NULL);
    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

// Two ends of a pipe, of which one is for the process.
static bool make_pipe(HANDLE *reading, HANDLE *writing, bool process_reads)
{
    if (!CreatePipe(reading, writing, NULL, 0))
        return false;
    SetHandleInformation(process_reads ? *reading : *writing, HANDLE_FLAG_INHERIT,
                         HANDLE_FLAG_INHERIT);
    return true;
}

static void close_handle(HANDLE handle)
{
    if (handle)
        CloseHandle(handle);
}

// The attributes with which a process inherits only these handles, to be freed.
static LPPROC_THREAD_ATTRIBUTE_LIST list_handles(HANDLE *handles, size_t count)
{
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    LPPROC_THREAD_ATTRIBUTE_LIST list = malloc(size);
    if (list && InitializeProcThreadAttributeList(list, 1, 0, &size) &&
        UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
                                  count * sizeof *handles, NULL, NULL))
        return list;
    free(list);
    return NULL;
}

// The process is put into the job before it runs.
static bool start_process(wchar_t *command, wchar_t *environment, HANDLE input, HANDLE output,
                          HANDLE job)
{
    HANDLE inherited[3] = {input, output, GetStdHandle(STD_ERROR_HANDLE)};
    bool has_error =
        inherited[2] && inherited[2] != INVALID_HANDLE_VALUE &&
        SetHandleInformation(inherited[2], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    LPPROC_THREAD_ATTRIBUTE_LIST list = list_handles(inherited, has_error ? 3 : 2);
    STARTUPINFOEXW start = {.lpAttributeList = list};
    start.StartupInfo.cb = sizeof start;
    start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start.StartupInfo.hStdInput = input;
    start.StartupInfo.hStdOutput = output;
    start.StartupInfo.hStdError = has_error ? inherited[2] : NULL;
    PROCESS_INFORMATION process;
    DWORD flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP |
                  CREATE_UNICODE_ENVIRONMENT;
    bool is_running = list && CreateProcessW(NULL, command, NULL, NULL, TRUE, flags,
                                             environment, NULL, &start.StartupInfo, &process);
    if (list)
        DeleteProcThreadAttributeList(list);
    free(list);
    if (!is_running)
        return false;
    AssignProcessToJobObject(job, process.hProcess);
    ResumeThread(process.hThread);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
    return true;
}

// The variable that names the package's folder, to be freed; NULL without one.
static wchar_t *make_addition(const char *package)
{
    char *text = package ? environment_python_path(package) : NULL;
    wchar_t *wide = widen(text);
    free(text);
    return wide;
}

static wchar_t *make_command(const char *python, const char *program)
{
    char *text = text_print("\"%s\" -P \"%s\"", python, program);
    wchar_t *wide = widen(text);
    free(text);
    return wide;
}

static bool start(struct system_channel *channel, const char *python, const char *program,
                  const char *package)
{
    HANDLE input = NULL, output = NULL; // of the process
    wchar_t *addition = make_addition(package);
    wchar_t *environment = make_environment(addition);
    wchar_t *command = make_command(python, program);
    channel->job = make_job();
    bool is_running = environment && command && channel->job &&
                      make_pipe(&input, &channel->output, true) &&
                      make_pipe(&channel->input, &output, false) &&
                      start_process(command, environment, input, output, channel->job);
    close_handle(input);
    close_handle(output);
    free(command);
    free(environment);
    free(addition);
    return is_running;
}

struct system_channel *system_connect(const char *python, const char *program,
                                      const char *package)
{
    struct system_channel *channel = calloc(1, sizeof *channel);
    if (!channel || start(channel, python, program, package))
        return channel;
    system_disconnect(channel);
    return NULL;
}

// Programs cannot close what they have no handle of.
bool system_is_connected(const struct system_channel *channel)
{
    return channel != NULL;
}

bool system_write(struct system_channel *channel, const void *bytes, size_t size)
{
    return write_all(channel->output, bytes, size);
}

bool system_read(struct system_channel *channel, void *bytes, size_t size)
{
    char *rest = bytes;
    while (size) {
        DWORD count = 0, most = size > 1u << 30 ? 1u << 30 : (DWORD)size;
        if (!ReadFile(channel->input, rest, most, &count, NULL) || !count)
            return false;
        rest += count;
        size -= count;
    }
    return true;
}

void system_disconnect(struct system_channel *channel)
{
    close_handle(channel->input);
    close_handle(channel->output);
    close_handle(channel->job);
    free(channel);
}

char *system_python_of_environment(const char *folder)
{
    char *mark = text_print("%s\\pyvenv.cfg", folder);
    char *python = text_print("%s\\Scripts\\python.exe", folder);
    bool is_there = mark && python && system_is_file(mark) && system_is_file(python);
    free(mark);
    if (is_there)
        return python;
    free(python);
    return NULL;
}

#endif
