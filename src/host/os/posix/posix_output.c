/* New files by POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int ets_os_permissions_of(const char *path, struct ets_os_permissions *permissions_out)
{
    struct stat info;
    const bool is_there = lstat(path, &info) == 0;
    *permissions_out = (struct ets_os_permissions){is_there ? info.st_mode & 0777 : 0666, is_there};
    if (!is_there) return 0;
    if ((info.st_mode & 0222) == 0)
        return EACCES; /* root may, but whoever set this does not want */
    return access(path, W_OK) == 0 ? 0 : errno;
}

FILE *ets_os_create_new(const char *path, struct ets_os_permissions permissions)
{
    const mode_t mode = (mode_t)permissions.mode;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                permissions.is_replaced ? mode & 0700 : mode);
    if (descriptor < 0) return NULL;
    FILE *stream = NULL;
    if (!permissions.is_replaced || fchmod(descriptor, mode) == 0) {
        stream = fdopen(descriptor, "wb");
    }
    if (stream != NULL) return stream;
    const int code = errno;
    close(descriptor);
    unlink(path);
    errno = code == EEXIST ? EIO : code; /* which would say that the name was taken */
    return NULL;
}
