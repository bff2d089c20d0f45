/* Libraries that are loaded at run time, and where this program lies. */
#ifndef ETSCOPE_HOST_OS_LIBRARIES_H
#define ETSCOPE_HOST_OS_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/* ".so", ".dylib" or ".dll" */
extern const char ets_os_library_ending[];

/* A name without a folder is looked for as the loader does. `stays`: it is never unloaded. */
void *ets_os_load(const char *path, bool stays);
/* Why the last one failed; valid until the next call. */
const char *ets_os_load_failure(void);
/* Whether that was because no file of the name was found. */
bool ets_os_load_found_nothing(const char *path);
void ets_os_unload(void *library);

/* A function or datum of a library; NULL: it has none of the name. */
void *ets_os_symbol(void *library, const char *name);

/* The file that holds the code at an address; false: unknown. */
bool ets_os_file_of(const void *address, char *path, size_t room);
/* The file of this program; false: unknown. */
bool ets_os_program(char *path, size_t room);

#endif
