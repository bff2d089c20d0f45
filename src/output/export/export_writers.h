/* The writers of formats: one file for each. */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_WRITERS_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_WRITERS_H

#include "host/arena.h"
#include "output/export/export_buffer.h"
#include "output/export/export_files.h"

/* What a writer works on; its memory is the arena's. */
struct ets_export {
    const struct ets_export_trace *traces;
    uint32_t trace_count;
    struct ets_arena *arena;
    struct ets_arena *scratch; /* for texts of the moment; whoever uses it resets it */
    struct ets_export_buffer *out;
    struct ets_export_missing *missing;
};

/* Statuses: LIMIT, NO_MEMORY. */
typedef enum ets_status ets_export_writer(const struct ets_export *export, struct ets_error *error);

#define ETS_EXPORT_DECLARE(id, name, ending, write, ...) ets_export_writer write;
ETS_EXPORT_FORMATS(ETS_EXPORT_DECLARE)

#endif
