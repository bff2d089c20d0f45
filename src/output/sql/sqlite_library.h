/*
 * Loads SQLite at run time. A process without queries does not spend time on loading it (0.3 ms of
 * 0.7 ms), and on a machine without SQLite all other commands work.
 */
#ifndef ETSCOPE_OUTPUT_SQL_SQLITE_LIBRARY_H
#define ETSCOPE_OUTPUT_SQL_SQLITE_LIBRARY_H

#include <sqlite3.h>

#include "etscope/base.h"

/* The functions that are used, each as it is declared in sqlite3.h. */
#define ETS_SQLITE_FUNCTIONS(X) \
    X(bind_text)                \
    X(close_v2)                 \
    X(column_bytes)             \
    X(column_count)             \
    X(column_decltype)          \
    X(column_double)            \
    X(column_int64)             \
    X(column_name)              \
    X(column_text)              \
    X(column_blob)              \
    X(column_type)              \
    X(create_function_v2)       \
    X(create_module)            \
    X(declare_vtab)             \
    X(errcode)                  \
    X(errmsg)                   \
    X(exec)                     \
    X(finalize)                 \
    X(free)                     \
    X(libversion)               \
    X(limit)                    \
    X(malloc64)                 \
    X(mprintf)                  \
    X(open_v2)                  \
    X(prepare_v2)               \
    X(result_double)            \
    X(result_error)             \
    X(result_error_nomem)       \
    X(result_int64)             \
    X(result_null)              \
    X(result_text64)            \
    X(set_authorizer)           \
    X(step)                     \
    X(aggregate_context)        \
    X(user_data)                \
    X(value_double)             \
    X(value_int64)              \
    X(value_type)               \
    X(vtab_config)

struct ets_sqlite {
    void *handle;
#define ETS_SQLITE_POINTER(name) __typeof__(&sqlite3_##name) name;
    ETS_SQLITE_FUNCTIONS(ETS_SQLITE_POINTER)
#undef ETS_SQLITE_POINTER
    int (*error_offset)(sqlite3 *); /* since 3.38; NULL before */
};

/* Status: UNAVAILABLE, with what to install. */
enum ets_status ets_sqlite_open(struct ets_sqlite *sqlite, struct ets_error *error);
void ets_sqlite_close(struct ets_sqlite *sqlite);

#endif
