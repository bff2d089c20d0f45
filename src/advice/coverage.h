/* How much of a program advice has read. */
#ifndef ETSCOPE_ADVICE_COVERAGE_H
#define ETSCOPE_ADVICE_COVERAGE_H

#include <stdbool.h>

#include "base/error.h"
#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "host/arena.h"

/* Delegate calls of which the same is known. */
struct ets_advice_calls {
    uint32_t count;
    struct ets_text backend; /* of the first */
    bool has_others;         /* calls of other backends */
    uint64_t bytes;          /* of their payloads */
};

struct ets_advice_coverage {
    bool has_program;
    bool has_record;     /* which names operators inside of calls */
    uint32_t call_count; /* delegate calls */
    uint64_t program_bytes;
    struct ets_advice_calls unread; /* nothing is known of what they run */
    struct ets_advice_calls named; /* the ETRecord names their operators; the payload is not read */
};

/* `program`, `record` NULL: none. Statuses: those of ets_delegation_open; MISMATCH: the record is
 * of another program; if `allows_mismatch`, it is left out instead. */
enum ets_status ets_advice_coverage_find(const struct ets_program *program,
                                         struct ets_etrecord *record, bool allows_mismatch,
                                         struct ets_arena *arena,
                                         struct ets_advice_coverage *coverage_out,
                                         struct ets_error *error);

/* "cannot say what to change: 1 of 2 delegate calls was not read (EthosUBackend, 98 % of the
 * program's bytes)"; "": all of the program was read. Returns its length. */
size_t ets_advice_coverage_print(const struct ets_advice_coverage *coverage, char *text,
                                 size_t room);

/* " outside of 1 delegate call, of which only the operators are known, from the ETRecord
 * (CoreMLBackend, 98 % of the program's bytes)", for behind "nothing was found"; "": there is no
 * such call. */
size_t ets_advice_named_print(const struct ets_advice_coverage *coverage, char *text, size_t room);

#endif
