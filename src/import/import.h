/*
 * Makes an ETDump of another runtime's profile, in memory.
 *
 *     const enum ets_foreign_kind kind = ets_foreign_sniff(bytes);
 *     struct ets_imported imported;
 *     if (ets_import(bytes, kind, NULL, &imported, &error) == ETS_OK) {
 *         write(imported.dump.data, imported.dump.size);
 *         ets_imported_reset(&imported);
 *     }
 */
#ifndef ETSCOPE_IMPORT_IMPORT_H
#define ETSCOPE_IMPORT_IMPORT_H

#include <stdbool.h>

#include "etscope/base.h"

enum ets_foreign_kind {
    ETS_FOREIGN_NONE = 0,          /* none of them */
    ETS_FOREIGN_ONNX = 1,          /* ONNX Runtime's profile */
    ETS_FOREIGN_PYTORCH = 2,       /* the trace of torch.profiler */
    ETS_FOREIGN_CHROME = 3,        /* other Chrome trace events, etscope's own among them */
    ETS_FOREIGN_LITERT_CSV = 4,    /* its operator profile, as CSV or as a table */
    ETS_FOREIGN_LITERT_PROTO = 5,  /* the same as BenchmarkProfilingData */
    ETS_FOREIGN_LITERT_EVENTS = 6, /* a profiler's events, a line each, with tabs between */
    ETS_FOREIGN_RUNNER_LOG = 7,    /* lines that ExecuTorch's runners of language models print */
    ETS_FOREIGN_TABLE = 8,         /* the Inspector's table of a trace, or etscope's */
    ETS_FOREIGN_TABLE_JSON = 9,    /* etscope's as a JSON document */
    ETS_FOREIGN_TFLM_LOG = 10,    /* lists of MicroProfiler, TensorFlow Lite for Microcontrollers */
    ETS_FOREIGN_TABLE_LINES = 11, /* etscope's table as JSON, a row a line */
    ETS_FOREIGN_TABLE_TEXT = 12,  /* as etscope prints it, or as Markdown */
    ETS_FOREIGN_COUNT
};

/* What a file is: by its first 64 KiB, and a protobuf by its outermost fields. */
enum ets_foreign_kind ets_foreign_sniff(struct ets_bytes bytes);
/* "ONNX Runtime", "PyTorch", "LiteRT", "Chrome JSON": whose profile it is. */
const char *ets_foreign_runtime(enum ets_foreign_kind kind);

/* Events of a profile that an ETDump does not get. */
struct ets_left_out {
    const char *what; /* plural: "executions of graphs"; static */
    uint64_t count;
};

enum { ETS_LEFT_OUT_KINDS = 12 };

struct ets_imported {
    struct ets_bytes dump;
    const char *runtime;
    uint32_t run_count;
    uint64_t event_count; /* of the ETDump */
    struct ets_left_out left_out[ETS_LEFT_OUT_KINDS];
    uint32_t left_out_count;
    bool may_lack_events; /* it has as many events as ONNX Runtime keeps */
    bool is_of_medians;   /* it has no single runs: one run of medians stands for them */
    bool is_in_ticks;     /* its cycles are ticks of a timer whose rate it does not tell */
    const struct ets_allocator *allocator;
};

/*
 * `allocator` NULL: the C library's. Statuses: WRONG_KIND (NONE), MALFORMED, LIMIT, UNAVAILABLE
 * (JSON, in a build without RapidJSON), NO_MEMORY. Offsets are those of `bytes`.
 */
enum ets_status ets_import(struct ets_bytes bytes, enum ets_foreign_kind kind,
                           const struct ets_allocator *allocator, struct ets_imported *imported_out,
                           struct ets_error *error);
/* Takes the dump's memory out of `imported`; free it with the allocator. */
void ets_imported_reset(struct ets_imported *imported);

#endif
