/* Processes by CreateProcess. */
#include "host/os/os_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "host/os/os_files.h"
#include "host/os/windows/windows_error.h"

enum { STREAMS = 3 };

/* What a process gets as standard input, output and messages, and what this side keeps. */
struct handles {
    HANDLE streams[STREAMS]; /* inherited; NULL: this process's own */
    HANDLE feed, answer;     /* of this side; NULL: none */
};

/* Adds a word so that the C library of the other side reads it as one. NULL: counts only. */
static size_t quote(const char *word, char *to)
{
    size_t used = 0, slashes = 0;
#define PUT(c)                        \
    do {                              \
        if (to != NULL) to[used] = c; \
        used++;                       \
    } while (0)
    PUT('"');
    for (const char *c = word; *c != '\0'; c++) {
        /* Backslashes count double only before a quote. */
        if (*c == '"') {
            for (; slashes > 0; slashes--) PUT('\\');
            PUT('\\');
        }
        slashes = *c == '\\' ? slashes + 1 : 0;
        PUT(*c);
    }
    for (; slashes > 0; slashes--) PUT('\\');
    PUT('"');
    PUT(' ');
#undef PUT
    return used;
}

static char *join(const char *const *words)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; words[i] != NULL; i++) size += quote(words[i], NULL);
    char *line = malloc(size);
    if (line == NULL) return NULL;
    for (size_t i = 0; words[i] != NULL; i++) used += quote(words[i], line + used);
    line[used] = '\0';
    return line;
}

static SECURITY_ATTRIBUTES inherited(void)
{
    return (SECURITY_ATTRIBUTES){.nLength = sizeof(SECURITY_ATTRIBUTES), .bInheritHandle = TRUE};
}

static HANDLE open_file(const char *path, bool is_input)
{
    SECURITY_ATTRIBUTES attributes = inherited();
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return NULL;
    const HANDLE file = CreateFileW(
        wide, is_input ? GENERIC_READ : GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
        &attributes, is_input ? OPEN_EXISTING : CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    return file == INVALID_HANDLE_VALUE ? NULL : file;
}

/* A pipe; only the end of the other side is inherited. */
static bool open_pipe(HANDLE *theirs, HANDLE *ours, bool they_read)
{
    SECURITY_ATTRIBUTES attributes = inherited();
    HANDLE from, to;
    if (!CreatePipe(&from, &to, &attributes, 0)) return false;
    *theirs = they_read ? from : to;
    *ours = they_read ? to : from;
    SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
    return true;
}

static bool open_streams(const struct ets_os_streams *streams, struct handles *handles)
{
    const char *const files[STREAMS] = {streams->has_feed ? NULL : streams->input,
                                        streams->has_answer ? NULL : streams->output,
                                        streams->has_answer ? NULL : streams->messages};
    if (streams->has_feed && !open_pipe(&handles->streams[0], &handles->feed, true)) return false;
    if (streams->has_answer) {
        if (!open_pipe(&handles->streams[1], &handles->answer, false)) return false;
        handles->streams[2] = handles->streams[1];
    }
    for (int i = 0; i < STREAMS; i++) {
        if (files[i] != NULL && (handles->streams[i] = open_file(files[i], i == 0)) == NULL) {
            return false;
        }
    }
    return true;
}

static void close_streams(struct handles *handles)
{
    for (int i = 0; i < STREAMS; i++) {
        const bool is_twice = i == 2 && handles->streams[2] == handles->streams[1];
        if (handles->streams[i] != NULL && !is_twice) CloseHandle(handles->streams[i]);
    }
}

static wchar_t *widen(const char *line)
{
    const int size = MultiByteToWideChar(CP_UTF8, 0, line, -1, NULL, 0);
    wchar_t *wide = size > 0 ? malloc((size_t)size * sizeof *wide) : NULL;
    if (wide != NULL) MultiByteToWideChar(CP_UTF8, 0, line, -1, wide, size);
    return wide;
}

/* Along PATH alone: the current folder may hold files of strangers. 0 or an errno. */
static int find_program(const char *name, wchar_t found[ETS_OS_WIDE])
{
    wchar_t wide[ETS_OS_WIDE];
    static wchar_t folders[1 << 15];
    if (ets_os_wide(name, wide) == NULL) return errno;
    const bool has_folder = ets_os_has_folder(name);
    const DWORD path = GetEnvironmentVariableW(L"PATH", folders, sizeof folders / sizeof *folders);
    if (!has_folder && (path == 0 || path >= sizeof folders / sizeof *folders)) return ENOENT;
    const DWORD size = has_folder ? GetFullPathNameW(wide, ETS_OS_WIDE, found, NULL)
                                  : SearchPathW(folders, wide, L".exe", ETS_OS_WIDE, found, NULL);
    if (size == 0) return ets_os_error();
    return size < ETS_OS_WIDE ? 0 : ENAMETOOLONG;
}

static int create(const char *const *words, const struct handles *handles, intptr_t *id_out)
{
    static const DWORD own[STREAMS] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    HANDLE *const given[STREAMS] = {&start.hStdInput, &start.hStdOutput, &start.hStdError};
    PROCESS_INFORMATION made;
    for (int i = 0; i < STREAMS; i++) {
        *given[i] = handles->streams[i] != NULL ? handles->streams[i] : GetStdHandle(own[i]);
    }
    wchar_t program[ETS_OS_WIDE];
    const int missing = find_program(words[0], program);
    if (missing != 0) return missing;
    char *line = join(words);
    wchar_t *wide = line == NULL ? NULL : widen(line);
    free(line);
    if (wide == NULL) return ENOMEM;
    fflush(NULL); /* what this process has said comes first */
    const bool is_fine =
        CreateProcessW(program, wide, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made);
    const int failed = is_fine ? 0 : ets_os_error();
    free(wide);
    if (!is_fine) return failed;
    CloseHandle(made.hThread);
    *id_out = (intptr_t)made.hProcess;
    return 0;
}

static void close_ours(const struct handles *handles)
{
    if (handles->feed != NULL) CloseHandle(handles->feed);
    if (handles->answer != NULL) CloseHandle(handles->answer);
}

int ets_os_start(const char *const *words, const struct ets_os_streams *streams,
                 struct ets_os_process *process_out)
{
    struct handles handles = {.feed = NULL};
    intptr_t id = 0;
    const int failed =
        open_streams(streams, &handles) ? create(words, &handles, &id) : ets_os_error();
    close_streams(&handles);
    if (failed != 0) {
        close_ours(&handles);
        return failed;
    }
    *process_out = (struct ets_os_process){id, NULL, -1};
    if (handles.feed != NULL) {
        process_out->feed = _open_osfhandle((intptr_t)handles.feed, _O_WRONLY | _O_BINARY);
    }
    if (handles.answer != NULL) {
        const int descriptor = _open_osfhandle((intptr_t)handles.answer, _O_RDONLY | _O_BINARY);
        process_out->answer = descriptor < 0 ? NULL : _fdopen(descriptor, "rb");
    }
    if (handles.answer == NULL || process_out->answer != NULL) return 0;
    TerminateProcess((HANDLE)id, 1);
    CloseHandle((HANDLE)id);
    return EMFILE;
}

enum ets_os_end ets_os_wait(const struct ets_os_process *process, bool waits, int *code_out)
{
    const HANDLE handle = (HANDLE)process->id;
    DWORD code = 0;
    const DWORD answer = WaitForSingleObject(handle, waits ? INFINITE : 0);
    if (answer == WAIT_TIMEOUT) return ETS_OS_RUNS;
    const bool is_known = answer == WAIT_OBJECT_0 && GetExitCodeProcess(handle, &code);
    *code_out = is_known ? (int)code : ets_os_error();
    CloseHandle(handle);
    return is_known ? ETS_OS_EXITED : ETS_OS_LOST;
}

void ets_os_stop(const struct ets_os_process *process)
{
    TerminateProcess((HANDLE)process->id, 143);
}

int ets_os_show_in_browser(const char *address, struct ets_os_process *process_out)
{
    const char *const words[] = {"rundll32", "url.dll,FileProtocolHandler", address, NULL};
    const struct ets_os_streams streams = {.output = NULL};
    return ets_os_start(words, &streams, process_out);
}

long ets_os_process_number(void)
{
    return _getpid();
}
