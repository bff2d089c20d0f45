/* New files by the Windows API. */
#include "host/os/os_output.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdint.h>
#include <windows.h>

#include "host/os/os_files.h"
#include "host/os/windows/windows_error.h"

/* Files have the access of their folder; only "read only" is the file's own. */
int ets_os_permissions_of(const char *path, struct ets_os_permissions *permissions_out)
{
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return errno;
    const DWORD attributes = GetFileAttributesW(wide);
    const bool is_there = attributes != INVALID_FILE_ATTRIBUTES;
    *permissions_out = (struct ets_os_permissions){0, is_there};
    if (!is_there) return 0;
    if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return EISDIR;
    return (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? EACCES : 0;
}

FILE *ets_os_create_new(const char *path, struct ets_os_permissions permissions)
{
    wchar_t wide[ETS_OS_WIDE];
    (void)permissions;
    if (ets_os_wide(path, wide) == NULL) return NULL;
    /* Shared for deletion, so that an interrupt can remove it while it is open. */
    const HANDLE file = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                                    CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return NULL;
    }
    const int descriptor = _open_osfhandle((intptr_t)file, _O_WRONLY | _O_BINARY | _O_NOINHERIT);
    FILE *stream = descriptor < 0 ? NULL : _fdopen(descriptor, "wb");
    if (stream != NULL) return stream;
    if (descriptor >= 0) _close(descriptor);
    else CloseHandle(file);
    (void)ets_os_remove(path);
    errno = EMFILE;
    return NULL;
}
