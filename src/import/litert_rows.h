/* Operators of LiteRT's operator profile, which has sums over runs only, as two runs. */
#ifndef ETSCOPE_IMPORT_LITERT_ROWS_H
#define ETSCOPE_IMPORT_LITERT_ROWS_H

#include "import/foreign.h"

/* One operator. Times are its sum over the calls of a run. */
struct ets_litert_row {
    struct ets_text type; /* "FULLY_CONNECTED", "Fully Connected (NC, F32) GEMM" */
    struct ets_text name; /* "[out/Cumsum]:3"; absent: not told */
    bool is_delegated;
    int64_t first_ns, average_ns;
};

/* Where the next operator of each run begins: the profile has no start. */
struct ets_litert_clock {
    int64_t first_ns, average_ns;
};

/*
 * Adds an operator to the runs "First run" and "Execute", the average, behind the ones before.
 * Statuses: LIMIT (together they take longer than 146 years), NO_MEMORY.
 */
enum ets_status ets_litert_add(struct ets_foreign *f, struct ets_litert_clock *clock,
                               const struct ets_litert_row *row, struct ets_error *error);
/* Adds the two runs, which last as long as their operators together: LiteRT's own total. */
enum ets_status ets_litert_end(struct ets_foreign *f, const struct ets_litert_clock *clock,
                               struct ets_error *error);

/* What is left out: times that operators of the primary graph include. */
extern const char ets_litert_in_delegates[], ets_litert_in_subgraphs[];

/* Without "Delegate/" before it; *is_delegated_out: whether it had that. */
struct ets_text ets_litert_type(struct ets_text type, bool *is_delegated_out);

#endif
