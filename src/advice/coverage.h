/* How much of a program advice has read. */
#ifndef ETSCOPE_ADVICE_COVERAGE_H
#define ETSCOPE_ADVICE_COVERAGE_H

#include <stdbool.h>

#include "base/error.h"
#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "host/arena.h"

struct ets_advice_coverage {
    bool has_program;
    uint32_t call_count, unread_count; /* delegate calls, and those whose payload was not read */
    struct ets_text backend;           /* of the first unread one */
    uint64_t unread_bytes, program_bytes;
};

/* `program`, `record` NULL: none. Statuses: those of ets_delegation_open; MISMATCH: the record is
 * of another program. */
enum ets_status ets_advice_coverage_find(const struct ets_program *program,
                                         struct ets_etrecord *record, struct ets_arena *arena,
                                         struct ets_advice_coverage *coverage_out,
                                         struct ets_error *error);

/* "cannot say what to change: 1 of 2 delegate calls was not read (EthosUBackend, 98 % of the
 * program's bytes)"; "": all of the program was read. Returns its length. */
size_t ets_advice_coverage_print(const struct ets_advice_coverage *coverage, char *text,
                                 size_t room);

#endif
