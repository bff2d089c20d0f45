/* Loads SQLite when it is first needed, and finds its functions. */
#include "output/sql/sqlite_library.h"

#include <string.h>

#include "base/error.h"
#include "host/os/os_libraries.h"

#define WHAT_TO_DO "install the package libsqlite3-0"

/* A function pointer out of a data pointer, as POSIX promises for dlsym. */
static int find(void *handle, const char *name, void *pointer)
{
    void *symbol = ets_os_symbol(handle, name);
    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void *open_library(void)
{
    static const char *const names[] = {"libsqlite3.so.0", "libsqlite3.so", "libsqlite3.dylib",
                                        "sqlite3.dll", "winsqlite3.dll" /* Windows' own */};
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && i < sizeof names / sizeof *names; i++) {
        handle = ets_os_load(names[i], false);
    }
    return handle;
}

enum ets_status ets_sqlite_open(struct ets_sqlite *sqlite, struct ets_error *error)
{
    *sqlite = (struct ets_sqlite){.handle = open_library()};
    if (sqlite->handle == NULL) {
        return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                        "SQL needs libsqlite3, which is missing: " WHAT_TO_DO);
    }
    const char *missing = NULL;
#define FIND(name) \
    if (!find(sqlite->handle, "sqlite3_" #name, &sqlite->name)) missing = "sqlite3_" #name;
    ETS_SQLITE_FUNCTIONS(FIND)
#undef FIND
    find(sqlite->handle, "sqlite3_error_offset", &sqlite->error_offset);
    if (missing == NULL) return ETS_OK;
    ets_sqlite_close(sqlite);
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                    "libsqlite3 is too old: it has no %s: " WHAT_TO_DO, missing);
}

void ets_sqlite_close(struct ets_sqlite *sqlite)
{
    if (sqlite->handle != NULL) ets_os_unload(sqlite->handle);
    sqlite->handle = NULL;
}
