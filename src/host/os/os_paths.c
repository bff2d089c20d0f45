/* Parts of paths, on every system. */
#include <string.h>

#include "host/os/os_files.h"

const char *ets_os_ending(const char *path)
{
    const char *name = ets_os_name(path), *dot = strrchr(name, '.');
    return dot != NULL && dot > name ? dot : name + strlen(name);
}

bool ets_os_cut_name(char *path)
{
    const size_t folder = (size_t)(ets_os_name(path) - path);
    if (folder == 0) return false;
    path[folder - 1] = '\0';
    return true;
}

bool ets_os_is_same(const struct ets_os_place *left, const struct ets_os_place *right)
{
    /* Some file systems number nothing: there no two paths are known to be the same file. */
    if ((left->number[0] | left->number[1]) == 0) return false;
    return left->volume == right->volume && left->number[0] == right->number[0] &&
           left->number[1] == right->number[1];
}
