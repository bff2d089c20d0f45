/* WASI loads no libraries; what a build needs of one is linked into it. */
#include "host/os/os_libraries.h"

const char ets_os_library_ending[] = ".so";

void *ets_os_load(const char *path, bool stays)
{
    (void)path;
    (void)stays;
    return NULL;
}

const char *ets_os_load_failure(void)
{
    return "WebAssembly loads no libraries";
}

bool ets_os_load_found_nothing(const char *path)
{
    (void)path;
    return false;
}

void ets_os_unload(void *library)
{
    (void)library;
}

void *ets_os_symbol(void *library, const char *name)
{
    (void)library;
    (void)name;
    return NULL;
}

bool ets_os_file_of(const void *address, char *path, size_t room)
{
    (void)address;
    (void)path;
    (void)room;
    return false;
}

bool ets_os_program(char *path, size_t room)
{
    (void)path;
    (void)room;
    return false;
}
