/* Chrome JSON that etscope exported: its events become those of the trace that was exported. */
#ifndef ETSCOPE_IMPORT_OWN_TRACE_H
#define ETSCOPE_IMPORT_OWN_TRACE_H

#include "import/foreign.h"

/* What the export tells of a slice beside its times. */
struct ets_own_slice {
    uint64_t run;        /* number of the process << 32 | number of the run */
    int32_t instruction; /* -1: outside of any */
    uint32_t track;      /* name of the thread; 0: none */
    bool is_call;        /* of a delegate */
};

/*
 * Arranges slices as the export had them, and sets `is_arranged`: runs by number, parents by
 * nesting in file order, a delegate's events on other tracks into the calls of their instruction.
 * `own` is [slice_count]. Statuses: LIMIT (deeper than slices may nest, an instruction
 * beyond those that so many slices can have), NO_MEMORY.
 */
enum ets_status ets_own_trace_arrange(struct ets_foreign *f, const struct ets_own_slice *own,
                                      struct ets_error *error);

#endif
