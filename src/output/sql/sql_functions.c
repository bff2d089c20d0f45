/*
 * percentile(x, p) and median(x), as SQLite's own shell has them: quantiles by linear
 * interpolation, as everywhere here.
 */
#include <math.h>
#include <stdlib.h>

#include "output/sql/sql_database.h"

/*
 * SQLite hands a function nothing but its context, and what leads from there to our data is a
 * function of the library's: the one thing of it that has to be found without them. It is the same
 * for every database of a process.
 */
static void *(*user_data)(sqlite3_context *);

/* The numbers of one group. */
struct sample {
    double *values;
    size_t count, capacity;
    double percent;
    bool is_bad, no_memory;
};

static void add(const struct ets_sql *sql, struct sample *sample, double value)
{
    if (sample->count == sample->capacity) {
        const size_t wanted = sample->capacity == 0 ? 64 : sample->capacity * 2;
        const struct ets_allocator *allocator = sql->study.arena.allocator;
        double *grown =
            allocator->reallocate(allocator->context, sample->values, wanted * sizeof *grown);
        if (grown == NULL) {
            sample->no_memory = true;
            return;
        }
        sample->values = grown;
        sample->capacity = wanted;
    }
    sample->values[sample->count++] = value;
}

static void step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    const struct ets_sql *sql = user_data(context);
    const struct ets_sqlite *sqlite = &sql->sqlite;
    struct sample *sample = sqlite->aggregate_context(context, sizeof *sample);
    if (sample == NULL) return; /* SQLite says so itself */
    const double percent = count > 1 ? sqlite->value_double(arguments[1]) : 50;
    if (!(percent >= 0 && percent <= 100) || (sample->count > 0 && percent != sample->percent)) {
        sample->is_bad = true;
    }
    sample->percent = percent;
    const int type = sqlite->value_type(arguments[0]);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        add(sql, sample, sqlite->value_double(arguments[0]));
    } else if (type != SQLITE_NULL) {
        sample->is_bad = true;
    }
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(struct sample *sample)
{
    qsort(sample->values, sample->count, sizeof *sample->values, compare);
    const double at = sample->percent / 100 * (double)(sample->count - 1);
    const size_t below = (size_t)floor(at), above = (size_t)ceil(at);
    const double low = sample->values[below], high = sample->values[above];
    return low == high ? low : low + (high - low) * (at - (double)below);
}

static void finish(sqlite3_context *context)
{
    const struct ets_sql *sql = user_data(context);
    const struct ets_sqlite *sqlite = &sql->sqlite;
    struct sample *sample = sqlite->aggregate_context(context, 0);
    if (sample == NULL) {
        sqlite->result_null(context);
        return;
    }
    if (sample->no_memory) {
        sqlite->result_error_nomem(context);
    } else if (sample->is_bad) {
        sqlite->result_error(context, "percentile takes numbers and one percentage from 0 to 100",
                             -1);
    } else if (sample->count == 0) {
        sqlite->result_null(context);
    } else {
        sqlite->result_double(context, quantile(sample));
    }
    ets_study_release(&sql->study, sample->values);
    sample->values = NULL;
}

int ets_sql_add_functions(struct ets_sql *sql)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    user_data = sql->sqlite.user_data;
    const int code = sql->sqlite.create_function_v2(sql->connection, "percentile", 2, flags, sql,
                                                    NULL, step, finish, NULL);
    if (code != SQLITE_OK) return code;
    return sql->sqlite.create_function_v2(sql->connection, "median", 1, flags, sql, NULL, step,
                                          finish, NULL);
}
