/* Paths by POSIX. */
#define _XOPEN_SOURCE 700
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif
#include "host/os/os_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/os/os_input.h"

bool ets_os_can_read(const char *path)
{
    return access(path, R_OK) == 0;
}

bool ets_os_is_elsewhere(const char *path)
{
    (void)path;
    return false;
}

char *ets_os_follow_link(const char *path)
{
    struct stat info;
    char held[PATH_MAX];
    errno = 0;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) {
        errno = 0;
        return NULL;
    }
    const ssize_t size = readlink(path, held, sizeof held);
    if (size < 0) return NULL;
    if ((size_t)size == sizeof held) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    /* What a link holds counts from its folder. */
    const size_t folder = held[0] == '/' ? 0 : (size_t)(ets_os_name(path) - path);
    char *target = malloc(folder + (size_t)size + 1);
    if (target == NULL) return NULL;
    memcpy(target, path, folder);
    memcpy(target + folder, held, (size_t)size);
    target[folder + (size_t)size] = '\0';
    return target;
}

char *ets_os_real_path(const char *path)
{
    return realpath(path, NULL);
}

const char *ets_os_temporary_root(void)
{
    const char *named = getenv("TMPDIR");
    return named != NULL && *named != '\0' ? named : "/tmp";
}

int ets_os_make_temporary_folder(char *path, size_t room)
{
    const int size = snprintf(path, room, "%s/etscope-XXXXXX", ets_os_temporary_root());
    if (size < 0 || (size_t)size >= room) return ENAMETOOLONG;
    return mkdtemp(path) != NULL ? 0 : errno;
}
