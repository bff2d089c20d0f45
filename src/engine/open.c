/* Finds and opens the engine plug-in. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "etscope/engine.h"
#include "host/os/os_files.h"
#include "host/os/os_libraries.h"
#include "host/os/os_quiet.h"

#define FILE_NAME "libetscope_engine"

struct ets_engine_library {
    void *handle;
    char path[ETS_OS_PATH_BYTES];
};

/* The folder of the running executable, without a slash at its end. */
static bool find_executable_folder(char *folder, size_t capacity)
{
    return ets_os_program(folder, capacity) && ets_os_cut_name(folder);
}

/* The folder of the library that this code was loaded from; it may be the executable's. */
static bool find_library_folder(char *folder, size_t capacity)
{
    enum ets_status (*self)(const char *, struct ets_engine_library **, const struct ets_engine **,
                            struct ets_error *) = ets_engine_open;
    void *address;
    memcpy(&address, &self, sizeof address);
    return ets_os_file_of(address, folder, capacity) && ets_os_cut_name(folder);
}

static bool is_there(const char *path)
{
    return ets_os_look(path).kind != ETS_OS_NOTHING;
}

/* Writes the path of the first plug-in found from `folder` to `path`; false: none. */
static bool find_from(const char *folder, char *path, size_t capacity)
{
    static const char *const places[] = {"", "/etscope", "/../lib", "/../lib/etscope",
                                         "/../etscope_engine"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int length = snprintf(path, capacity, "%s%s/" FILE_NAME "%s", folder, places[i],
                                    ets_os_library_ending);
        if (length > 0 && (size_t)length < capacity && is_there(path)) return true;
    }
    return false;
}

static bool find_nearby(char *path, size_t capacity)
{
    char folder[ETS_OS_PATH_BYTES];
    return (find_executable_folder(folder, sizeof folder) && find_from(folder, path, capacity)) ||
           (find_library_folder(folder, sizeof folder) && find_from(folder, path, capacity));
}

#ifndef _WIN32
/* Whether the folder is that of the Python package. */
static bool is_package(const char *folder)
{
    char path[ETS_OS_PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s/doctor.py", folder);
    return length > 0 && (size_t)length < sizeof path && is_there(path);
}
#endif

/* What to do where it is missing or cannot be loaded. */
static const char *what_to_do(void)
{
#ifdef _WIN32
    return "ExecuTorch's wheel for Windows has no runtime: run programs on another machine";
#else
    char folder[ETS_OS_PATH_BYTES];
    if ((find_executable_folder(folder, sizeof folder) && is_package(folder)) ||
        (find_library_folder(folder, sizeof folder) && is_package(folder))) {
        return "python -m etscope.doctor says how to install it";
    }
    return "install it with `make engine`, or set ETSCOPE_ENGINE to its path";
#endif
}

/* Chooses the file; a name without a slash is looked for by the dynamic loader. */
static enum ets_status choose_path(const char *wanted, char *path, size_t capacity,
                                   struct ets_error *error)
{
    const char *source = "the given path";
    if (wanted == NULL) {
        wanted = getenv("ETSCOPE_ENGINE");
        source = "ETSCOPE_ENGINE";
        if (wanted != NULL && wanted[0] == '\0') wanted = NULL;
    }
    if (wanted == NULL) {
        if (!find_nearby(path, capacity))
            snprintf(path, capacity, FILE_NAME "%s", ets_os_library_ending);
        return ETS_OK;
    }
    if (strlen(wanted) >= capacity) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, "the path %s is too long", source);
    }
    memcpy(path, wanted, strlen(wanted) + 1);
    if (ets_os_has_folder(path) && !is_there(path)) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, "%s: engine %s does not exist",
                        source, path);
    }
    return ETS_OK;
}

/* A function pointer out of a data pointer, as POSIX promises for dlsym. */
static ets_engine_interface_function *find_interface(void *handle)
{
    void *symbol = ets_os_symbol(handle, ETS_ENGINE_SYMBOL);
    ets_engine_interface_function *function = NULL;
    _Static_assert(sizeof symbol == sizeof function, "POSIX function pointers");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static enum ets_status explain_load_failure(const char *path, struct ets_error *error)
{
    if (ets_os_load_found_nothing(path)) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                        "the ExecuTorch engine is not installed: %s", what_to_do());
    }
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, "cannot load the engine: %s; %s",
                    ets_os_load_failure(), what_to_do());
}

/* Loads the library and asks for its interface, with the runtime's start-up notes silenced. */
static enum ets_status load(struct ets_engine_library *library, const struct ets_engine **engine,
                            struct ets_error *error)
{
    /* The runtime's threads and hooks stay, so the code that they run must stay as well. */
    library->handle = ets_os_load(library->path, true);
    if (library->handle == NULL) return explain_load_failure(library->path, error);
    ets_engine_interface_function *function = find_interface(library->handle);
    if (function == NULL) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET, "%s is not an etscope engine",
                        library->path);
    }
    *engine = function();
    if (*engine == NULL) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                        "the ExecuTorch runtime of %s did not start", library->path);
    }
    if ((*engine)->interface_version != ETS_ENGINE_INTERFACE_VERSION ||
        (*engine)->struct_bytes != sizeof(struct ets_engine)) {
        return ets_fail(
            error, ETS_MISMATCH, ETS_NO_OFFSET,
            "%s has engine interface %u (%u bytes), but this etscope needs %u (%zu bytes)",
            library->path, (unsigned)(*engine)->interface_version,
            (unsigned)(*engine)->struct_bytes, (unsigned)ETS_ENGINE_INTERFACE_VERSION,
            sizeof(struct ets_engine));
    }
    return ETS_OK;
}

/* The loader knows where it found a bare name. */
static void note_real_path(struct ets_engine_library *library)
{
    char found[ETS_OS_PATH_BYTES];
    const void *symbol = ets_os_symbol(library->handle, ETS_ENGINE_SYMBOL);
    if (ets_os_has_folder(library->path) || symbol == NULL) return;
    if (ets_os_file_of(symbol, found, sizeof found)) {
        memcpy(library->path, found, sizeof library->path);
    }
}

enum ets_status ets_engine_open(const char *path, struct ets_engine_library **library_out,
                                const struct ets_engine **engine_out, struct ets_error *error)
{
    struct ets_engine_library *library = calloc(1, sizeof *library);
    if (library == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to open the engine");
    }
    const struct ets_engine *engine = NULL;
    enum ets_status status = choose_path(path, library->path, sizeof library->path, error);
    if (status == ETS_OK) {
        const int saved = ets_os_quiet_begin();
        status = load(library, &engine, error);
        ets_os_quiet_end(saved);
    }
    if (status != ETS_OK) {
        ets_engine_close(library);
        return status;
    }
    note_real_path(library);
    *library_out = library;
    *engine_out = engine;
    return ETS_OK;
}

const char *ets_engine_path(const struct ets_engine_library *library)
{
    return library->path;
}

void ets_engine_close(struct ets_engine_library *library)
{
    if (library == NULL) return;
    if (library->handle != NULL) ets_os_unload(library->handle);
    free(library);
}
