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

static HANDLE open_to_ask(const char *path, DWORD flags)
{
    return CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
}

struct ets_os_place ets_os_look(const char *path)
{
    const HANDLE file = open_to_ask(path, 0);
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
    return _access(path, 4) == 0;
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
    const DWORD attributes = GetFileAttributesA(path);
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
    const HANDLE file = open_to_ask(path, 0);
    char *real = NULL;
    if (file == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return NULL;
    }
    const DWORD size = GetFinalPathNameByHandleA(file, NULL, 0, FILE_NAME_NORMALIZED);
    if (size > 0) real = malloc((size_t)size + 1);
    if (real != NULL &&
        GetFinalPathNameByHandleA(file, real, size + 1, FILE_NAME_NORMALIZED) == 0) {
        free(real);
        real = NULL;
    }
    errno = real == NULL ? EIO : 0;
    CloseHandle(file);
    return real;
}

bool ets_os_list(const char *folder, bool (*take)(void *context, const char *name), void *context)
{
    WIN32_FIND_DATAA entry;
    char pattern[ETS_OS_PATH_BYTES];
    const int size = snprintf(pattern, sizeof pattern, "%s/*", folder);
    if (size < 0 || (size_t)size >= sizeof pattern) {
        errno = ENAMETOOLONG;
        return false;
    }
    const HANDLE search = FindFirstFileA(pattern, &entry);
    if (search == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return false;
    }
    do {
        const char *name = entry.cFileName;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (!take(context, name)) break;
    } while (FindNextFileA(search, &entry));
    FindClose(search);
    return true;
}

int ets_os_make_folder(const char *path)
{
    return CreateDirectoryA(path, NULL) ? 0 : ets_os_error();
}

int ets_os_remove_folder(const char *path)
{
    return RemoveDirectoryA(path) ? 0 : ets_os_error();
}

int ets_os_remove(const char *path)
{
    return DeleteFileA(path) ? 0 : ets_os_error();
}

int ets_os_replace(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : ets_os_error();
}

const char *ets_os_temporary_root(void)
{
    static char root[MAX_PATH + 1];
    const DWORD size = GetTempPathA(sizeof root, root);
    if (size == 0 || size >= sizeof root) return ".";
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
