/*
 * Traces as files that other tools open.
 *
 *     const struct ets_export_trace trace = {.name = "profile.etdp", .inspection = inspection};
 *     status = ets_export_write(output, ETS_EXPORT_PERFETTO, &trace, 1, NULL, NULL, &error);
 *
 * Events are written as they are read: memory grows with the longest run, not with the number of
 * runs, of which TensorBoard's file needs two numbers each. Bytes of names that are no UTF-8 become
 * U+FFFD, control characters a space. Write errors are reported by the output's commit.
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_FILES_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_FILES_H

#include "etscope/etrecord.h"
#include "etscope/inspect.h"
#include "etscope/program.h"
#include "host/output.h"

enum ets_export_format {
    ETS_EXPORT_CHROME = 0,   /* JSON of Chrome's trace viewer, which many tools read */
    ETS_EXPORT_PERFETTO = 1, /* protobuf of ui.perfetto.dev */
    ETS_EXPORT_SPEEDSCOPE = 2,
    ETS_EXPORT_PPROF = 3,
    ETS_EXPORT_FOLDED = 4,     /* stacks of flame graphs, as text */
    ETS_EXPORT_JSON_LINES = 5, /* an object for each event */
    ETS_EXPORT_CSV = 6,        /* a row for each event */
    ETS_EXPORT_TENSORBOARD = 7 /* an event file of TensorBoard */
};

/* A trace. */
struct ets_export_trace {
    const char *name; /* of the file */
    const struct ets_inspection *inspection;
    const struct ets_program *program; /* that ran: for its planned memory and graph; or NULL */
    struct ets_etrecord *record;       /* of its export, for its graph; or NULL */
};

/* Graphs that a file of TensorBoard lacks. */
struct ets_export_missing {
    uint32_t graph_count; /* traces whose program or record is known */
    const char *trace;    /* the name of the first one */
    struct ets_error reason;
};

/*
 * Writes the traces side by side. `allocator` NULL: the C library's. `*missing_out` (NULL: not
 * wanted) tells what is left out. Statuses: INVALID_ARGUMENT (no
 * trace; several for a format that holds one), LIMIT (hundreds of events at the same time),
 * NO_MEMORY.
 */
ETS_API enum ets_status ets_export_write(struct ets_output *output, enum ets_export_format format,
                                         const struct ets_export_trace *traces, uint32_t count,
                                         const struct ets_allocator *allocator,
                                         struct ets_export_missing *missing_out,
                                         struct ets_error *error);

#endif
