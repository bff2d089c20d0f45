/*
 * SQLite as part of the program, where no library is loaded at run time. All is in memory: SQLite
 * is built without a system (SQLITE_OS_OTHER), and the one that it gets here opens no file.
 */
#include "output/sql/sqlite_library.h"

#include <string.h>
#include <time.h>

#include "host/os/os_sockets.h"

enum { MOST_PATH_BYTES = 512 };
#define UNIX_EPOCH_IN_DAYS 2440587.5 /* as Julian days count */

static int open_file(sqlite3_vfs *system, const char *name, sqlite3_file *file, int flags,
                     int *flags_out)
{
    (void)system;
    (void)name;
    (void)flags;
    (void)flags_out;
    file->pMethods = NULL;
    return SQLITE_CANTOPEN;
}

static int delete_file(sqlite3_vfs *system, const char *name, int syncs)
{
    (void)system;
    (void)name;
    (void)syncs;
    return SQLITE_IOERR_DELETE;
}

static int ask_access(sqlite3_vfs *system, const char *name, int flags, int *answer_out)
{
    (void)system;
    (void)name;
    (void)flags;
    *answer_out = 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *system, const char *name, int room, char *path_out)
{
    const size_t size = strlen(name) + 1;
    (void)system;
    if (room < 0 || size > (size_t)room) return SQLITE_CANTOPEN;
    memcpy(path_out, name, size);
    return SQLITE_OK;
}

static int fill_randomly(sqlite3_vfs *system, int size, char *bytes)
{
    (void)system;
    return ets_os_random(bytes, (size_t)size) ? size : 0;
}

static int sleep_never(sqlite3_vfs *system, int microseconds)
{
    (void)system;
    (void)microseconds;
    return 0;
}

static int current_time(sqlite3_vfs *system, double *days_out)
{
    (void)system;
    *days_out = UNIX_EPOCH_IN_DAYS + (double)time(NULL) / 86400.0;
    return SQLITE_OK;
}

/* SQLite calls both by name. */
int sqlite3_os_init(void)
{
    static sqlite3_vfs memory = {.iVersion = 1,
                                 .szOsFile = sizeof(sqlite3_file),
                                 .mxPathname = MOST_PATH_BYTES,
                                 .zName = "memory",
                                 .xOpen = open_file,
                                 .xDelete = delete_file,
                                 .xAccess = ask_access,
                                 .xFullPathname = full_path,
                                 .xRandomness = fill_randomly,
                                 .xSleep = sleep_never,
                                 .xCurrentTime = current_time};
    return sqlite3_vfs_register(&memory, 1);
}

int sqlite3_os_end(void)
{
    return SQLITE_OK;
}

enum ets_status ets_sqlite_open(struct ets_sqlite *sqlite, struct ets_error *error)
{
    (void)error;
    *sqlite = (struct ets_sqlite){.handle = NULL, .error_offset = sqlite3_error_offset};
#define TAKE(name) sqlite->name = sqlite3_##name;
    ETS_SQLITE_FUNCTIONS(TAKE)
#undef TAKE
    return ETS_OK;
}

void ets_sqlite_close(struct ets_sqlite *sqlite)
{
    *sqlite = (struct ets_sqlite){.handle = NULL};
}
