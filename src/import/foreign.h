/*
 * A profile of another runtime on its way to an ETDump. A reader adds slices of time in any order;
 * ets_foreign_nest finds runs and parents, ets_foreign_number instructions; ets_foreign_write makes
 * the file. What etscope exported is arranged by ets_own_trace_arrange (own_trace.h) instead.
 */
#ifndef ETSCOPE_IMPORT_FOREIGN_H
#define ETSCOPE_IMPORT_FOREIGN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/trace_extra.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "import/import.h"

/* No slice, node or run. */
#define ETS_NO_SLICE UINT32_MAX

enum ets_slice_kind {
    ETS_SLICE_OPERATOR = 0,
    ETS_SLICE_RUN = 1,       /* a whole execution; `name` is the run's, `module` its method */
    ETS_SLICE_LOAD = 2,      /* loading, or outside of any instruction */
    ETS_SLICE_ALLOCATION = 3 /* no time: `bytes` of the allocator `op` at `start` */
};

/* Texts are numbers in the profile's table; 0: absent. */
struct ets_slice {
    enum ets_slice_kind kind;
    int64_t start, end; /* ns */
    uint64_t thread;
    bool is_frame;     /* slices may be parts of it although they are of other threads */
    bool is_delegated; /* reported by a delegate of ExecuTorch, under the name `op` */
    uint32_t op;       /* "Gemm": the event's name */
    uint32_t name;     /* "/fc1/Gemm": the node's own */
    uint32_t backend, module, file, function, line;
    uint32_t first_tensor, tensor_count; /* outputs */
    uint64_t bytes;
    uint32_t owner; /* of an allocation: 1 + the slice, added before, that made it; 0: by time */
    /* Set by ets_foreign_nest and ets_foreign_number. */
    uint32_t parent, depth, run, node;
    uint32_t first_child, last_child, next_sibling;
};

/* A tensor without its bytes. */
struct ets_foreign_shape {
    uint8_t scalar_type, rank;
    uint32_t first_size; /* into `sizes` */
};

/* An instruction: what its slices have in common. */
struct ets_foreign_node {
    uint32_t parent; /* node, or ETS_NO_SLICE */
    uint32_t slice;  /* the first one */
};

struct ets_foreign_run {
    uint32_t name, method;
    uint32_t slice; /* of the whole execution, or ETS_NO_SLICE */
    uint32_t first_child, last_child;
    enum ets_trace_purpose purpose;
    uint32_t invocation, thread;
    uint32_t first_emitted, emitted_count;
};

/* Which tokens of a generation a run computes. */
struct ets_foreign_tokens {
    uint32_t slice; /* of the whole run */
    enum ets_run_stage stage;
    uint32_t tokens;
    uint64_t position;
};

struct ets_foreign {
    struct ets_arena arena;
    struct ets_bytes bytes; /* of the file, for offsets */
    struct ets_strings texts;
    const char *runtime; /* NULL: ExecuTorch */
    bool is_arranged;    /* by the reader: with ets_own_trace_arrange */
    bool is_in_cycles;   /* times are cycles, not nanoseconds */
    bool is_in_ticks;    /* those cycles are of a timer whose rate is not known */
    uint64_t step_ns;    /* times are whole multiples of it; 1: nanoseconds */
    bool is_truncated; /* durations are rounded down to steps, so that they may be a step longer */
    bool inner_first;  /* of two equal slices the file has the inner one first */
    bool only_frames;  /* slices that are no frames have no parts, whatever their times say */
    bool by_order;     /* names are no node's own: equal ones are told apart by their order */
    struct ets_slice *slices;
    uint32_t slice_count, slice_room;
    struct ets_foreign_shape *shapes;
    uint32_t shape_count, shape_room;
    int64_t *sizes;
    uint32_t size_count, size_room;
    struct ets_foreign_node *nodes;
    uint32_t node_count, node_room;
    struct ets_foreign_run *runs;
    uint32_t run_count, run_room;
    struct ets_foreign_tokens *tokens; /* in the order of slices */
    uint32_t token_count, token_room;
    uint32_t *emitted; /* slices run by run, inner ones first */
    uint32_t emitted_count;
    struct ets_left_out left_out[ETS_LEFT_OUT_KINDS];
    uint32_t left_out_count;
    bool may_lack_events; /* it has as many as its runtime keeps */
    bool is_of_medians;   /* times of single runs are not known */
};

/* Most slices of a profile, and how deep they nest: deeper ones count with the slice at that depth.
 */
enum { ETS_FOREIGN_MOST_SLICES = 1 << 25, ETS_FOREIGN_MOST_DEPTH = 64 };

static inline enum ets_status ets_fail_foreign(struct ets_error *error)
{
    return ets_fail_memory(error, "the profile");
}

/* foreign.c */
enum ets_status ets_foreign_add(struct ets_foreign *f, const struct ets_slice *slice,
                                struct ets_error *error);
/* The number of a text, which must live as long as the profile; 0 for an absent or empty one. */
enum ets_status ets_foreign_text(struct ets_foreign *f, struct ets_text text, uint32_t *number_out,
                                 struct ets_error *error);
/* Adds to the outputs of the slice that is added next. A shape too large for a tensor is left out.
 */
enum ets_status ets_foreign_shape(struct ets_foreign *f, struct ets_slice *slice, int scalar_type,
                                  const int64_t *sizes, uint32_t rank, struct ets_error *error);
/* Which tokens the run computes whose slice is added next. */
enum ets_status ets_foreign_tokens(struct ets_foreign *f, enum ets_run_stage stage, uint32_t tokens,
                                   uint64_t position, struct ets_error *error);
/* Those of a run; NULL: not known. */
const struct ets_foreign_tokens *ets_foreign_tokens_of(const struct ets_foreign *f, uint32_t slice);
/* Counts what is left out; `what` is static. */
void ets_foreign_leave_out(struct ets_foreign *f, const char *what);

/*
 * Nanoseconds of a number in JSON's grammar; `digits`: 3 if it counts microseconds. Rounded to the
 * nearest. False: no such number, or beyond 2^62.
 */
bool ets_decimal_ns(struct ets_text number, int digits, int64_t *ns_out);

/* Appends a slice to the list of children that begins with *first: of a slice or a run. */
void ets_foreign_append(struct ets_foreign *f, uint32_t *first, uint32_t *last, uint32_t child);

/* foreign_nesting.c: sets runs and parents. */
enum ets_status ets_foreign_nest(struct ets_foreign *f, struct ets_error *error);
/* foreign_nodes.c: numbers the instructions, in order of their first slice. */
enum ets_status ets_foreign_number(struct ets_foreign *f, struct ets_error *error);
/* foreign_nodes.c: lists the slices of each run in the order in which a tracer logs them. */
enum ets_status ets_foreign_list_emitted(struct ets_foreign *f, struct ets_error *error);
/* foreign_dump.c: `*dump_out` is of the arena's allocator. */
enum ets_status ets_foreign_write(struct ets_foreign *f, struct ets_bytes *dump_out,
                                  struct ets_error *error);

/* Whether a log has the line of a generation. */
bool ets_is_runner_log(struct ets_bytes bytes);
/* Whether the beginning of a log has a list of MicroProfiler. */
bool ets_is_tflm_log(struct ets_text start);
/* Whether the bytes are messages of the two kinds of profiles, and nothing behind them. */
bool ets_litert_is_proto(struct ets_bytes bytes);

/* The readers. */
enum ets_status ets_onnx_profile_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_torch_profile_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_chrome_json_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_litert_csv_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_litert_proto_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_litert_events_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_runner_log_read(struct ets_foreign *f, struct ets_error *error);
enum ets_status ets_tflm_log_read(struct ets_foreign *f, struct ets_error *error);

#endif
