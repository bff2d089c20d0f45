/*
 * The memory plan of a method: what lies where in its planned arenas, and from when to when.
 *
 *     struct ets_arena arena;
 *     struct ets_memory_plan plan;
 *     ets_arena_init(&arena, NULL, 0);
 *     if (ets_memory_plan_init(&plan, &method, &arena, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < plan.tensor_count; i++) {
 *             const struct ets_plan_tensor *tensor = &plan.tensors[i];
 *             if (!ets_plan_is_live(tensor, plan.peak_step)) continue;
 *             printf("value %u: %llu bytes\n", tensor->value, (unsigned long long)tensor->bytes);
 *         }
 *     }
 *     ets_arena_reset(&arena);
 *
 * A program has no lifetimes; they are found from what its instructions name. Time is counted in
 * steps: the method's instructions, chain after chain, so that with one chain - all that exporters
 * write - a step is the instruction that the runtime logs. A tensor is live from the step that
 * writes it to the step that names it last, both included; an input from step 0, an output to the
 * last step, a mutable buffer at every step. A view is live with the tensor that it shows. A loop
 * in which a lifetime begins or ends belongs to it as a whole. Where a jump leaves steps out, of
 * two branches only one runs: a lifetime is then the pieces at which something written can reach
 * something that reads it. A MoveCall copies no bytes: the value that it writes is the tensor that
 * it reads from then on, so that one stays live, and the bytes that were planned for the other are
 * not used. The exporter's own lifetimes count the nodes of its graph, and are a little longer.
 *
 * Bytes are those of the shapes in the file, which are upper bounds where a shape is dynamic. All
 * memory is the arena's; the program's bytes must live as long. Nothing changes after init, so that
 * any thread may read.
 */
#ifndef ETSCOPE_MEMORY_MEMORY_PLAN_H
#define ETSCOPE_MEMORY_MEMORY_PLAN_H

#include <stdbool.h>

#include "etscope/program.h"
#include "host/arena.h"

/* No step, no tensor, no arena. */
#define ETS_PLAN_NONE UINT32_MAX

/* What a tensor is to its method: the first that applies, in this order. */
enum ets_plan_kind {
    ETS_PLAN_CONSTANT = 0, /* read only, in the file or a data file */
    ETS_PLAN_INPUT = 1,
    ETS_PLAN_BUFFER = 2, /* mutable buffer: has a start value, or is read where nothing was
                            written, so that it holds what an earlier call left */
    ETS_PLAN_OUTPUT = 3,
    ETS_PLAN_INTERMEDIATE = 4,
    ETS_PLAN_UNUSED = 5, /* no instruction names it */
    ETS_PLAN_SCRATCH = 6 /* what one kernel works in: needed at that instruction alone */
};

/* What an instruction does to a tensor; once for each instruction, however often it is named. */
struct ets_plan_touch {
    uint32_t step;
    bool reads, writes;
    bool is_partial; /* it writes a part, and leaves the rest as it was */
};

/* Steps, both included. */
struct ets_plan_piece {
    uint32_t first, last;
};

/* A tensor value of the method. */
struct ets_plan_tensor {
    uint32_t value; /* in the method's values: ets_method_value has shape, type and name */
    enum ets_plan_kind kind;
    enum ets_tensor_place place;
    bool is_output;      /* also of inputs and buffers that are handed back */
    bool is_upper_bound; /* its shape is dynamic: it takes at most `bytes` */
    uint32_t arena;      /* in `arenas`; ETS_PLAN_NONE: not planned, which leaves it to the file
                            (constants) or to the caller (inputs and outputs) */
    uint64_t offset;     /* there, in bytes */
    uint64_t bytes;      /* of the elements, not rounded up */
    /*
     * Steps, both included; of what is not planned those of its instructions. NONE: no instruction
     * names it, or a move makes it another tensor before anything is written to its own bytes.
     */
    uint32_t first, last;
    const struct ets_plan_piece *pieces; /* of first to last, in order, apart from each other */
    uint32_t piece_count;                /* 1, or more where branches leave steps out; 0: NONE */
    bool is_conditional; /* at some of these steps only those runs have it that took one of the ways
                            there: behind branches that choose what a value is */
    uint32_t producer;   /* step that writes it first, of a view what it shows; NONE: none does */
    /*
     * Of a view the tensor whose bytes it shows, in `tensors`, which is no view itself and lives as
     * long as its views. No instruction makes a view: exporters give a second value the same place.
     */
    uint32_t base; /* NONE: it is no view */
    uint32_t reader_count;
    const struct ets_plan_touch *touches; /* in the order of steps */
    uint32_t touch_count;
};

/* A planned arena: the memory behind one memory id. */
struct ets_plan_arena {
    struct ets_planned_arena planned; /* memory id, bytes, device */
    uint32_t *tensors; /* [tensor_count] in the plan's `tensors`, in the order of values */
    uint32_t tensor_count;
    uint64_t peak_bytes;  /* the most that is live at once */
    uint32_t peak_step;   /* the first step with that many; NONE: nothing is live in it */
    uint64_t bound_bytes; /* the same with sizes rounded up to the plan's alignment: no plan of
                             these lifetimes is smaller */
    uint64_t end_bytes;   /* where its last tensor ends */
    uint64_t slack_bytes; /* behind that: what the exporter adds where XNNPACK is used, whose
                             kernels may read beyond a tensor's end */
    const uint64_t *live; /* [step_count] bytes in use: the union of what the live tensors cover, so
                             that aliases count once; NULL: no tensor lies in it */
};

/* Steps that run more than once: a jump at `last` leads back to `first`. */
struct ets_plan_loop {
    uint32_t first, last;
    uint32_t parent; /* the loop that it lies in; NONE: none */
};

/* Why two tensors that are live at once have bytes in common. */
enum ets_plan_overlap_kind {
    ETS_PLAN_IN_PLACE = 0,  /* the instruction that writes one of them also takes the other, and
                               both begin at the same byte: it changes or renames it */
    ETS_PLAN_OVERWRITE = 1, /* nothing relates them: what the older held is lost while it is still
                               needed. A mistake of the plan */
    ETS_PLAN_UNDECIDED = 2  /* a delegate takes or gives exactly the older's bytes: it may be a
                               view of it that the delegate only reads */
};

/* A step that writes `tensor` into bytes of `older`, which is needed until `older`'s last step.
 * Views and what they show are not listed. */
struct ets_plan_overlap {
    enum ets_plan_overlap_kind kind;
    uint32_t tensor, older; /* in `tensors` */
    uint32_t step;
};

struct ets_memory_plan {
    struct ets_method method;
    uint32_t step_count;        /* at least 1, so that a method that computes nothing has a step */
    const uint32_t *chain_step; /* [chain_count + 1] the first step of each chain */
    struct ets_plan_arena *arenas; /* in the order of memory ids */
    uint32_t arena_count;
    struct ets_plan_tensor *tensors; /* in the order of values, planned or not */
    uint32_t tensor_count;
    const uint32_t *tensor_of;   /* [value_count] in `tensors`; NONE: the value is no tensor */
    const uint32_t *named;       /* tensors that instructions name, step after step, each once */
    const uint32_t *named_begin; /* [step_count + 1] the first of each step in `named` */
    const struct ets_plan_loop *loops; /* outer before inner; none crosses another */
    uint32_t loop_count;
    const uint32_t *loop_of; /* [step_count] the innermost loop of each step; NONE: none */
    const struct ets_plan_overlap *overlaps; /* in the order of steps */
    uint32_t overlap_count;
    /* Over all arenas. */
    const uint64_t *live; /* [step_count] */
    uint32_t alignment;   /* 16, as exporters use, or the lower power of 2 that all offsets are
                             multiples of: the file does not tell it */
    uint64_t planned_bytes, peak_bytes;
    uint64_t bound_bytes; /* of all arenas together, each at its own worst step */
    uint32_t peak_step;
    uint64_t device_bytes; /* that delegates plan on their devices, at least; 0: not told */
    /*
     * Memory that a delegate's payload states to need at each of its calls, beside the arenas: the
     * most of one call, 0 where no payload states any; and the most that it and live tensors take
     * together.
     */
    uint64_t scratch_bytes;
    uint32_t scratch_step;
    uint64_t whole_peak_bytes; /* peak_bytes without scratch */
    uint32_t whole_peak_step;
    bool is_upper_bound; /* a live tensor's shape is dynamic somewhere */
    bool has_branches;   /* live bytes count more than any one run has: some of them are those of
                            conditional tensors, in whose place a run has other bytes or none */
    bool never_ends;     /* no way leads from the first step to the end */
};

/*
 * Reads the plan of `method`, whose program must live as long as the plan. Statuses: LIMIT (a small
 * file that asks for a huge analysis: lists that are named over and over, loops nested deeper than
 * 64, thousands of arenas times many instructions), NO_MEMORY.
 */
enum ets_status ets_memory_plan_init(struct ets_memory_plan *plan, const struct ets_method *method,
                                     struct ets_arena *arena, struct ets_error *error);

/* The piece of a lifetime that a step is in, or NULL. */
static inline const struct ets_plan_piece *ets_plan_piece_at(const struct ets_plan_tensor *tensor,
                                                             uint32_t step)
{
    for (uint32_t i = 0; i < tensor->piece_count; i++) {
        if (step <= tensor->pieces[i].last) {
            return tensor->pieces[i].first <= step ? &tensor->pieces[i] : NULL;
        }
    }
    return NULL;
}

/* Whether a tensor holds memory at a step. */
static inline bool ets_plan_is_live(const struct ets_plan_tensor *tensor, uint32_t step)
{
    return ets_plan_piece_at(tensor, step) != NULL;
}

/* Whether two lists of pieces have a step in common. */
static inline bool ets_plan_pieces_meet(const struct ets_plan_piece *a, uint32_t a_count,
                                        const struct ets_plan_piece *b, uint32_t b_count)
{
    for (uint32_t i = 0, k = 0; i < a_count && k < b_count;) {
        if (a[i].first <= b[k].last && b[k].first <= a[i].last) return true;
        if (a[i].last < b[k].last) i++;
        else k++;
    }
    return false;
}

/* Whether two tensors hold memory at one step. */
static inline bool ets_plan_live_together(const struct ets_plan_tensor *a,
                                          const struct ets_plan_tensor *b)
{
    return ets_plan_pieces_meet(a->pieces, a->piece_count, b->pieces, b->piece_count);
}

/* What to say before live bytes and peaks: they are "at most " so many, or exact. */
static inline const char *ets_plan_at_most(const struct ets_memory_plan *plan)
{
    return plan->is_upper_bound || plan->has_branches ? "at most " : "";
}

/* The instruction that a step is; kind UNKNOWN for the only step of a method without any. */
void ets_plan_instruction(const struct ets_memory_plan *plan, uint32_t step,
                          struct ets_instruction *instruction_out);

/* "constant", "input", "mutable buffer", "output", "intermediate", "unused". Static storage. */
const char *ets_plan_kind_name(enum ets_plan_kind kind);

#endif
