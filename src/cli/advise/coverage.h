/* How much of a program advice has read. */
#ifndef ETSCOPE_CLI_ADVISE_COVERAGE_H
#define ETSCOPE_CLI_ADVISE_COVERAGE_H

#include <stdbool.h>

#include "host/arena.h"
#include "output/sql/sql_data.h"

struct cli_coverage {
    bool has_program;
    uint32_t call_count, unread_count; /* delegate calls, and those whose payload was not read */
    struct ets_text backend;           /* of the first unread one */
    uint64_t unread_bytes, program_bytes;
};

/* Statuses: those of ets_delegation_open; MISMATCH: the record is of another program. */
enum ets_status cli_coverage_find(const struct ets_sql_sources *sources, struct ets_arena *arena,
                                  struct cli_coverage *coverage_out, struct ets_error *error);

/* "cannot say what to change: 1 of 2 delegate calls was not read (EthosUBackend, 98 % of the
 * program's bytes)"; "": all of the program was read. Returns its length. */
size_t cli_coverage_print(const struct cli_coverage *coverage, char *text, size_t room);

#endif
