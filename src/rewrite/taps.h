/*
 * The values within a program's delegates, and which of them can be had: as further arguments of
 * the calls ("taps"), by a program that is the same otherwise.
 *
 *     struct ets_taps taps;
 *     ETS_TRY(ets_taps_find(&arena, &program, &store, &taps, error));
 *     for (uint32_t i = 0; i < taps.count; i++) {
 *         taps.items[i].is_chosen = taps.items[i].state == ETS_TAP_POSSIBLE;
 *     }
 *     ETS_TRY(ets_tapped_program(&arena, &program, &taps, &options, &rewritten, error));
 *
 * Only XNNPACK's can. Its runtime takes an argument by its number and does not check types, and it
 * hands arguments to the tracer after each call (ExecuTorch
 * backends/xnnpack/runtime/XNNExecutor.cpp; what it does with each kind of value was found by
 * running it).
 */
#ifndef ETSCOPE_REWRITE_TAPS_H
#define ETSCOPE_REWRITE_TAPS_H

#include "payload/payload_store.h"
#include "rewrite/rewritten_program.h"

enum ets_tap_state {
    ETS_TAP_POSSIBLE,
    ETS_TAP_FUSED,    /* computed in one with what reads it; as an argument, other operators run */
    ETS_TAP_ARGUMENT, /* the call takes or gives it as it is */
    ETS_TAP_CONSTANT,
    ETS_TAP_DYNAMIC,  /* quantized in each run: XNNPACK refuses it; its float source can be had */
    ETS_TAP_UNMADE,   /* no operator makes it */
    ETS_TAP_NO_TENSOR /* of a type or size that programs do not have */
};

struct ets_tap {
    uint32_t method, delegate; /* indices in the program, in the method */
    uint32_t value;            /* number in the payload's graph */
    enum ets_tap_state state;
    int scalar_type; /* of programs: CHAR and BYTE for values of 8 bits; -1: none */
    uint64_t bytes;  /* at its largest */
    bool is_chosen;
};

/* A delegate that some instruction calls. */
struct ets_tap_delegate {
    uint32_t method, delegate;
    struct ets_text backend;
    const struct ets_payload_graph *graph; /* NULL: its values cannot be had */
    const char *reason;                    /* then */
    bool is_first_refused;                 /* the first with this reason */
    uint32_t first, count;                 /* of the items */
};

struct ets_taps {
    struct ets_tap *items; /* by method, delegate and value */
    uint32_t count;
    struct ets_tap_delegate *delegates;
    uint32_t delegate_count;
};

/* Statuses: NO_MEMORY; INVALID_ARGUMENT: the program has taps already; LIMIT: delegates that share
 * payloads have more values than a program of this size should. */
enum ets_status ets_taps_find(struct ets_arena *arena, const struct ets_program *program,
                              struct ets_payload_store *store, struct ets_taps *taps_out,
                              struct ets_error *error);

struct ets_tap_options {
    /* As outputs of the method, for runtimes without a tracer; else as arguments alone, whose
     * memory calls share, because the tracer takes them right after each. */
    bool as_outputs;
};

/*
 * The program whose delegates also give the chosen values, all of which are POSSIBLE or FUSED.
 * Statuses: NO_MEMORY, LIMIT, UNSUPPORTED (a newer schema).
 */
enum ets_status ets_tapped_program(struct ets_arena *arena, const struct ets_program *program,
                                   const struct ets_taps *taps,
                                   const struct ets_tap_options *options,
                                   struct ets_rewritten *rewritten_out, struct ets_error *error);

/* Whether values within calls of a backend, by its id in programs, can be had at all. */
bool ets_tap_is_possible(const char *backend);
/* What can be done instead for a backend whose values cannot be had. Static. */
const char *ets_tap_alternative(struct ets_text backend);

#endif
