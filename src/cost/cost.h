/*
 * cost.h - the work of an operator: its multiply-adds, its other arithmetic, the bytes that it
 * must move. Counted from shapes alone; no time and no machine is in it.
 *
 *     struct ets_cost total = {.operators = 0};
 *     for (uint32_t i = 0; i < count; i++) ets_cost_add(&total, &costs[i]);
 *     if (ets_cost_state(&total) == ETS_COST_KNOWN) {
 *         printf("%llu flops, %llu bytes\n", (unsigned long long)ets_cost_flops(&total),
 *                (unsigned long long)ets_cost_bytes(&total));
 *     }
 *
 * Conventions, which docs/cost.md explains:
 *   - A multiply-add is 2 operations: flops = 2 * macs + ops. `macs` are those of convolutions,
 *     matrix products and attention: 2 * macs is what torch.utils.flop_counter counts.
 *   - Bytes are the compulsory traffic: each distinct tensor once. The true traffic is at least
 *     this where tensors do not stay in a cache, and may be less where they do.
 *   - A number is exact, or an upper bound (`at_most`), or not there: a product that exceeds 63
 * bits makes the operator unknown, and so does a size that no file tells. Numbers never saturate.
 *   - Padding counts as work, batch norms that were folded into weights do not (`folded`).
 *
 * Plain values without ownership; any thread may use them.
 */
#ifndef ETSCOPE_COST_COST_H
#define ETSCOPE_COST_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"

/* What an operator computes with: which roof of a machine applies. */
enum ets_arithmetic {
    ETS_ARITHMETIC_NONE = 0, /* no arithmetic, or only a conversion */
    ETS_ARITHMETIC_FLOAT32 = 1,
    ETS_ARITHMETIC_FLOAT16 = 2,
    ETS_ARITHMETIC_BFLOAT16 = 3,
    ETS_ARITHMETIC_FLOAT64 = 4,
    ETS_ARITHMETIC_INT8 = 5,         /* weights and activations, quantized ahead of time */
    ETS_ARITHMETIC_INT8_DYNAMIC = 6, /* int8 weights, activations quantized at run time */
    ETS_ARITHMETIC_INT4_DYNAMIC = 7, /* int4 weights, activations quantized at run time */
    ETS_ARITHMETIC_INTEGER = 8,      /* other integers, and booleans */
    ETS_ARITHMETIC_MIXED = 9,        /* a sum over several of these */
    ETS_ARITHMETIC_COUNT = 10
};

/* What kind of work an operator is. */
enum ets_cost_family {
    ETS_FAMILY_NONE = 0, /* nothing counted, or a sum over several families */
    ETS_FAMILY_CONVOLUTION = 1,
    ETS_FAMILY_PRODUCT = 2, /* linear, mm, bmm, addmm */
    ETS_FAMILY_ATTENTION = 3,
    ETS_FAMILY_NORM = 4,
    ETS_FAMILY_POOL = 5,
    ETS_FAMILY_REDUCTION = 6,  /* sum, mean, argmax, softmax, cumsum, sort */
    ETS_FAMILY_ELEMENTS = 7,   /* element by element */
    ETS_FAMILY_RECURRENT = 8,  /* LSTM, GRU as one operator */
    ETS_FAMILY_CONVERSION = 9, /* of types: quantize, dequantize, casts */
    ETS_FAMILY_MOVE = 10,      /* copies, gathers, no arithmetic */
    ETS_FAMILY_COUNT = 11
};

/* Why an operator has no cost; of a sum, the first reason. */
enum ets_cost_reason {
    ETS_COST_REASON_NONE = 0,
    ETS_COST_NO_RULE = 1,   /* nothing is known of this operator */
    ETS_COST_NO_SHAPE = 2,  /* a size or an argument that the rule needs is in no file */
    ETS_COST_TOO_LARGE = 3, /* a number exceeds 63 bits */
    ETS_COST_NO_PAYLOAD = 4 /* of a delegate: neither program nor ETRecord tell its operators */
};

enum ets_cost_state {
    ETS_COST_NONE = 0, /* no operator: loading, or the framework's own time */
    ETS_COST_KNOWN = 1,
    ETS_COST_PARTIAL = 2, /* a sum in which some operators are unknown: it is at least this */
    ETS_COST_UNKNOWN = 3  /* the numbers are 0 and mean nothing */
};

/*
 * Of one operator, or a sum over several. All zero: no operator. 2 * macs + ops and the sum of the
 * three bytes fit into an int64_t.
 */
struct ets_cost {
    uint64_t macs;          /* multiply-adds of convolutions, matrix products and attention */
    uint64_t ops;           /* all other arithmetic, one for each scalar operation */
    uint64_t special;       /* of `ops`, evaluations of exp, log, erf, tanh, sin, sqrt... */
    uint64_t bytes_read;    /* inputs, each distinct tensor once, without weights */
    uint64_t weight_bytes;  /* constants: weights, biases, scales, as stored for execution */
    uint64_t bytes_written; /* outputs */
    uint64_t state_bytes;   /* of `bytes_read`, what the run before left: of KV caches */
    uint32_t operators;     /* that were counted */
    uint32_t unknown;       /* that could not be counted, and are not in the numbers */
    uint32_t folded;        /* batch norms whose work is in weights, and is not counted */
    bool at_most;           /* upper bounds stood for sizes: dynamic shapes */
    bool in_place;          /* the output is written over an input: fewer bytes are touched than
                               moved, by those written. Of a sum, each of its operators */
    bool is_example;        /* the sizes of the export's example inputs stood for dynamic ones */
    enum ets_arithmetic arithmetic;
    enum ets_cost_family family; /* of a sum: the one with multiply-adds, if it is the only one */
    enum ets_cost_reason reason; /* why `unknown` is not 0 */
};

static inline enum ets_cost_state ets_cost_state(const struct ets_cost *cost)
{
    if (cost->unknown == 0) return cost->operators == 0 ? ETS_COST_NONE : ETS_COST_KNOWN;
    return cost->operators == 0 ? ETS_COST_UNKNOWN : ETS_COST_PARTIAL;
}

/* 2 * macs + ops. */
static inline uint64_t ets_cost_flops(const struct ets_cost *cost)
{
    return 2 * cost->macs + cost->ops;
}

/* All that is moved: read, weights, written. */
static inline uint64_t ets_cost_bytes(const struct ets_cost *cost)
{
    return cost->bytes_read + cost->weight_bytes + cost->bytes_written;
}

/* flops per byte; NaN where the state is not KNOWN, or no byte moves. */
double ets_cost_intensity(const struct ets_cost *cost);

/* One operator of which nothing is known but why. */
struct ets_cost ets_cost_unknown(enum ets_cost_reason reason);

/* Adds `part`; a sum beyond 63 bits leaves `sum` as it was, with the operators of `part` unknown.
 */
void ets_cost_add(struct ets_cost *sum, const struct ets_cost *part);

/* `times` runs of the same; 0 gives no operator. Beyond 63 bits: unknown. */
void ets_cost_multiply(struct ets_cost *cost, uint64_t times);

/* One of `times` runs, above 0, on the average: numbers are rounded down. */
void ets_cost_divide(struct ets_cost *cost, uint64_t times);

/* "known", "partial", "unknown"; of known ones "at most" (upper bounds), "example" (sizes of the
 * example inputs); NULL for no operator. Static storage. */
const char *ets_cost_state_name(const struct ets_cost *cost);
/* "float32", "int8"; NULL for a number that is none. Static storage. */
const char *ets_arithmetic_name(enum ets_arithmetic arithmetic);
/* By an operator's name, in any form; NONE: there is no rule for it. cost_rules.c */
enum ets_cost_family ets_cost_family_of(struct ets_text operator_name);
/* "convolution", "matrix product"; NULL for a number that is none. Static storage. */
const char *ets_cost_family_name(enum ets_cost_family family);
/* "no rule", "shape not known"; NULL for REASON_NONE. Static storage. */
const char *ets_cost_reason_name(enum ets_cost_reason reason);

#endif
