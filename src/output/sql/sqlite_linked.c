/* SQLite as part of the program, where no library is loaded at run time. */
#include "output/sql/sqlite_library.h"

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
