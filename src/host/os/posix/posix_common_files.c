/* What POSIX and WASI have alike of paths: both rooms are built with it. */
#define _XOPEN_SOURCE 700
#include "host/os/os_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/os/os_input.h"

const char ets_os_null_device[] = "/dev/null";

static struct ets_os_place place_of(const struct stat *info)
{
    return (struct ets_os_place){.kind = S_ISREG(info->st_mode)   ? ETS_OS_FILE
                                         : S_ISDIR(info->st_mode) ? ETS_OS_FOLDER
                                                                  : ETS_OS_OTHER,
                                 .size = (uint64_t)info->st_size,
                                 .volume = (uint64_t)info->st_dev,
                                 .number = {(uint64_t)info->st_ino, 0}};
}

struct ets_os_place ets_os_look(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return (struct ets_os_place){.kind = ETS_OS_NOTHING};
    return place_of(&info);
}

struct ets_os_place ets_os_look_open(int descriptor)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0) return (struct ets_os_place){.kind = ETS_OS_NOTHING};
    return place_of(&info);
}

const char *ets_os_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool ets_os_has_folder(const char *path)
{
    return strchr(path, '/') != NULL;
}

bool ets_os_list(const char *folder, bool (*take)(void *context, const char *name), void *context)
{
    DIR *open = opendir(folder);
    if (open == NULL) return false;
    bool goes_on = true;
    const struct dirent *entry = NULL;
    while (goes_on && (errno = 0, entry = readdir(open)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        goes_on = take(context, entry->d_name);
    }
    const int failed = goes_on ? errno : 0;
    closedir(open);
    errno = failed;
    return failed == 0;
}

int ets_os_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 ? 0 : errno;
}

int ets_os_remove_folder(const char *path)
{
    return rmdir(path) == 0 ? 0 : errno;
}

int ets_os_remove(const char *path)
{
    return unlink(path) == 0 ? 0 : errno;
}

int ets_os_replace(const char *from, const char *to)
{
    return rename(from, to) == 0 ? 0 : errno;
}
