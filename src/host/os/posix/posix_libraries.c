/* Libraries by dlopen. */
#define _GNU_SOURCE /* dladdr */
#define _DARWIN_C_SOURCE
#include "host/os/os_libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#ifdef __APPLE__
const char ets_os_library_ending[] = ".dylib";
#else
const char ets_os_library_ending[] = ".so";
#endif

static const char *failure;

void *ets_os_load(const char *path, bool stays)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | (stays ? RTLD_NODELETE : 0));
    failure = library == NULL ? dlerror() : NULL;
    return library;
}

const char *ets_os_load_failure(void)
{
    return failure != NULL ? failure : "no reason was given";
}

/* Otherwise it is there, and the reason names what it lacks. */
bool ets_os_load_found_nothing(const char *path)
{
    return failure != NULL && strchr(path, '/') == NULL && strstr(failure, path) != NULL;
}

void ets_os_unload(void *library)
{
    dlclose(library);
}

void *ets_os_symbol(void *library, const char *name)
{
    return dlsym(library, name);
}

bool ets_os_file_of(const void *address, char *path, size_t room)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return false;
    const int size = snprintf(path, room, "%s", info.dli_fname);
    return size >= 0 && (size_t)size < room;
}

bool ets_os_program(char *path, size_t room)
{
#ifdef __APPLE__
    uint32_t size = (uint32_t)room;
    return _NSGetExecutablePath(path, &size) == 0;
#else
    const ssize_t size = readlink("/proc/self/exe", path, room);
    if (size <= 0 || (size_t)size >= room) return false;
    path[size] = '\0';
    return true;
#endif
}
