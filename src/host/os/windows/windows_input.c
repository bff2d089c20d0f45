/* Descriptors and mapped files by the Windows API. */
#include "host/os/os_input.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <windows.h>

#include "host/os/windows/windows_error.h"

/* A descriptor of a handle; -1: errno. */
static int describe(HANDLE file)
{
    if (file == INVALID_HANDLE_VALUE) {
        errno = ets_os_error();
        return -1;
    }
    const int descriptor = _open_osfhandle((intptr_t)file, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0) CloseHandle(file);
    return descriptor;
}

int ets_os_open(const char *path)
{
    if (ets_os_look(path).kind == ETS_OS_FOLDER) {
        errno = EISDIR;
        return -1;
    }
    wchar_t wide[ETS_OS_WIDE];
    if (ets_os_wide(path, wide) == NULL) return -1;
    return describe(CreateFileW(wide, GENERIC_READ,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL));
}

int ets_os_open_arriving(const char *path)
{
    return ets_os_open(path);
}

void ets_os_close(int descriptor)
{
    _close(descriptor);
}

int64_t ets_os_read(int descriptor, void *data, size_t size)
{
    return _read(descriptor, data, size < INT_MAX ? (unsigned)size : INT_MAX);
}

void *ets_os_map(int descriptor, size_t size)
{
    const HANDLE file = (HANDLE)_get_osfhandle(descriptor);
    void *mapping = NULL;
    const HANDLE section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    if (section != NULL) mapping = MapViewOfFile(section, FILE_MAP_READ, 0, 0, size);
    if (mapping == NULL) errno = ets_os_error();
    if (section != NULL) CloseHandle(section); /* the view keeps it */
    return mapping;
}

void ets_os_unmap(void *mapping, size_t size)
{
    (void)size;
    UnmapViewOfFile(mapping);
}

/* The system trims the working set by itself. */
void ets_os_forget_pages(const void *data, size_t size)
{
    (void)data;
    (void)size;
}

void ets_os_expect_samples(const void *mapping, size_t size, bool in_samples)
{
    (void)mapping;
    (void)size;
    (void)in_samples;
}
