/* Paths by the Windows API. */
#include "host/os/os_files.h"

#include <errno.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "host/os/os_input.h"
#include "host/os/os_processes.h"
#include "host/os/windows/windows_error.h"

const char ets_os_null_device[] = "NUL";

int ets_os_error(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT: return EACCES;
    case ERROR_USER_MAPPED_FILE: return EBUSY;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_NOT_SAME_DEVICE: return EXDEV;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DIR_NOT_EMPTY: return ENOTEMPTY;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: return ENOMEM;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_BAD_EXE_FORMAT: return ENOEXEC;
    case ERROR_BROKEN_PIPE: return EPIPE;
    default: return EIO;
    }
}

wchar_t *ets_os_wide(const char *text, wchar_t wide[ETS_OS_WIDE])
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, ETS_OS_WIDE) > 0) {
        return wide;
    }
    errno = GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : ENOENT;
    return NULL;
}

bool ets_os_narrow(const wchar_t *wide, char *text, size_t room)
{
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)room, NULL, NULL) > 0;
}

static struct ets_os_place place_of(HANDLE file)
{
    BY_HANDLE_FILE_INFORMATION info;
    const DWORD type = GetFileType(file);
    if (type != FILE_TYPE_DISK) return (struct ets_os_place){.kind = ETS_OS_OTHER};
    if (!GetFileInformationByHandle(file, &info))
        return (struct ets_os_place){.kind = ETS_OS_NOTHING};
    const bool is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    return (struct ets_os_place){
        .kind = is_folder ? ETS_OS_FOLDER : ETS_OS_FILE,
        .size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
        .volume = info.dwVolumeSerialNumber,
        .number = {(uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow, 0}};
}

static HANDLE open_to_ask(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) {
        SetLastError(ERROR_FILE_NOT_FOUND);
        return INVALID_HANDLE_VALUE;
    }
    return CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

struct ets_os_place ets_os_look(const char *path)
{
    const HANDLE file = open_to_ask(path);
    if (file == INVALID_HANDLE_VALUE) return (struct ets_os_place){.kind = ETS_OS_NOTHING};
    const struct ets_os_place place = place_of(file);
    CloseHandle(file);
    return place;
}

struct ets_os_place ets_os_look_open(int descriptor)
{
    const HANDLE file = (HANDLE)_get_osfhandle(descriptor);
    if (file == INVALID_HANDLE_VALUE) return (struct ets_os_place){.kind = ETS_OS_NOTHING};
    return place_of(file);
}

bool ets_os_can_read(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    return ets_os_wide(path, wide) != NULL && _waccess(wide, 4) == 0;
}

const char *ets_os_name(const char *path)
{
    const char *name = path;
    if (name[0] != '\0' && name[1] == ':') name += 2;
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '/' || *c == '\\') name = c + 1;
    }
    return name;
}

bool ets_os_has_folder(const char *path)
{
    return ets_os_name(path) != path;
}

/* Links are kept: what replaces a file goes to where the path leads. */
char *ets_os_follow_link(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    const DWORD attributes =
        ets_os_wide(path, wide) == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    errno = 0;
    if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) {
        return NULL;
    }
    char *target = ets_os_real_path(path);
    if (target == NULL || strcmp(target, path) != 0) return target;
    free(target); /* another kind of such a point */
    errno = 0;
    return NULL;
}

char *ets_os_real_path(const char *path)
{
    enum { UTF8_MOST = 3 }; /* bytes of a character of two bytes */
    wchar_t wide[ETS_OS_WIDE];
    const HANDLE file = open_to_ask(path);
    char *real = NULL;
    if (file == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return NULL;
    }
    const DWORD size = GetFinalPathNameByHandleW(file, wide, ETS_OS_WIDE, FILE_NAME_NORMALIZED);
    CloseHandle(file);
    if (size > 0 && size < ETS_OS_WIDE) real = malloc((size_t)UTF8_MOST * size + 1);
    if (real != NULL && !ets_os_narrow(wide, real, (size_t)UTF8_MOST * size + 1)) {
        free(real);
        real = NULL;
    }
    errno = real == NULL ? EIO : 0;
    return real;
}

bool ets_os_list(const char *folder, bool (*take)(void *context, const char *name), void *context)
{
    WIN32_FIND_DATAW entry;
    char pattern[ETS_OS_PATH_BYTES], name[4 * MAX_PATH];
    wchar_t wide[ETS_OS_WIDE];
    const int size = snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (size < 0 || (size_t)size >= sizeof pattern) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (ets_os_wide(pattern, wide) == NULL) return false;
    const HANDLE search = FindFirstFileW(wide, &entry);
    if (search == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return false;
    }
    bool goes_on = true;
    do {
        if (!ets_os_narrow(entry.cFileName, name, sizeof name)) continue;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        goes_on = take(context, name);
    } while (goes_on && FindNextFileW(search, &entry));
    const bool is_whole = !goes_on || GetLastError() == ERROR_NO_MORE_FILES;
    errno = is_whole ? 0 : ets_os_error();
    FindClose(search);
    return is_whole;
}

int ets_os_make_folder(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return errno;
    return CreateDirectoryW(wide, NULL) ? 0 : ets_os_error();
}

int ets_os_remove_folder(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return errno;
    return RemoveDirectoryW(wide) ? 0 : ets_os_error();
}

int ets_os_remove(const char *path)
{
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return errno;
    return DeleteFileW(wide) ? 0 : ets_os_error();
}

int ets_os_replace(const char *from, const char *to)
{
    wchar_t wide_from[ETS_OS_WIDE], wide_to[ETS_OS_WIDE];
    if (ets_os_wide(from, wide_from) == NULL || ets_os_wide(to, wide_to) == NULL) return errno;
    return MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) ? 0 : ets_os_error();
}

bool ets_os_is_elsewhere(const char *path)
{
    const bool begins = path[0] == '/' || path[0] == '\\';
    return begins && (path[1] == '/' || path[1] == '\\');
}

const char *ets_os_temporary_root(void)
{
    static char root[4 * MAX_PATH];
    wchar_t wide[MAX_PATH + 2];
    const DWORD length = GetTempPathW(MAX_PATH + 2, wide);
    if (length == 0 || length > MAX_PATH + 1 || !ets_os_narrow(wide, root, sizeof root)) return ".";
    const size_t size = strlen(root);
    if (size > 1 && (root[size - 1] == '\\' || root[size - 1] == '/')) root[size - 1] = '\0';
    return root;
}

int ets_os_make_temporary_folder(char *path, size_t room)
{
    enum { MOST_TRIES = 1000 };
    int failed = EEXIST;
    for (unsigned i = 0; i < MOST_TRIES && failed == EEXIST; i++) {
        const int size =
            snprintf(path, room, "%s\\etscope-%lx-%lx-%x", ets_os_temporary_root(),
                     (unsigned long)ets_os_process_number(), (unsigned long)GetTickCount(), i);
        if (size < 0 || (size_t)size >= room) return ENAMETOOLONG;
        failed = ets_os_make_folder(path);
    }
    return failed;
}
