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

/*
 * The formats, a row each: its word in ETS_EXPORT_<word>, its name, the ending of its files, the
 * function that writes it (ets_export_writer), and whether a file holds several traces.
 */
/* clang-format off */
#define ETS_EXPORT_FORMATS(X)                                                                     \
    /* JSON of Chrome's trace viewer, which many tools read; protobuf of ui.perfetto.dev */       \
    X(CHROME, "chrome", ".json", ets_export_chrome, true)                                         \
    X(PERFETTO, "perfetto", ".pftrace", ets_export_perfetto, true)                                \
    X(SPEEDSCOPE, "speedscope", ".speedscope.json", ets_export_speedscope, false)                 \
    X(PPROF, "pprof", ".pb", ets_export_pprof, true)                                              \
    /* stacks of flame graphs, as text; an event file of TensorBoard */                           \
    X(FOLDED, "folded", ".folded", ets_export_folded, true)                                       \
    X(TENSORBOARD, "tensorboard", ".tfevents", ets_export_tensorboard, true)                      \
    /* an object, a row for each event */                                                         \
    X(JSON_LINES, "jsonl", ".jsonl", ets_export_json_lines, true)                                 \
    X(CSV, "csv", ".csv", ets_export_csv, true)
/* clang-format on */

#define ETS_EXPORT_ID(id, ...) ETS_EXPORT_##id,
enum ets_export_format { ETS_EXPORT_FORMATS(ETS_EXPORT_ID) };

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
