/*
 * One call of an operator, whatever file told it: what the rules of cost_rules.c count from.
 * Arguments are in the order of the operator's schema; a graph leaves out those with defaults, and
 * then has labels.
 */
#ifndef ETSCOPE_COST_COST_CALL_H
#define ETSCOPE_COST_COST_CALL_H

#include "base/load.h"
#include "cost/cost.h"
#include "etscope/base.h"
#include "etscope/tensor.h"

struct ets_cost_tensor {
    int scalar_type; /* enum ets_scalar_type; -1: not known */
    uint32_t rank;
    const int64_t *sizes; /* [rank]; -1: not known */
    uint32_t identity; /* below 2^32 - 1, an index of the marks; the same number: the same tensor */
    bool is_constant;
    bool is_state; /* of the run before: a cache */
    bool is_bound; /* its sizes are upper bounds */
};

enum ets_cost_argument_kind {
    ETS_COST_NOTHING,  /* None, or what no rule asks for: texts, types, symbols */
    ETS_COST_TENSORS,  /* one tensor, or a list of them */
    ETS_COST_INTEGERS, /* an integer, a bool, or a list of integers */
    ETS_COST_REAL
};

struct ets_cost_argument {
    enum ets_cost_argument_kind kind;
    struct ets_text label; /* absent: known by its place */
    uint32_t count;
    const struct ets_cost_tensor *tensors; /* [count] of TENSORS */
    const int64_t *integers;               /* [count] of INTEGERS */
    double real;
    bool is_list;
};

/* Which tensors of a call were counted: one for all calls of a graph or method. */
struct ets_cost_marks {
    uint32_t *marks; /* [as many as there are identities], zero at first */
    uint32_t now;    /* counts up from 0 */
};

struct ets_cost_call {
    struct ets_text space; /* "aten" */
    struct ets_text base;  /* "permute", of permute_copy and of permute_ */
    struct ets_text text;  /* mode of gelu, "tanh"; absent */
    bool is_copy;          /* its name ends in _copy */
    bool is_kernel;        /* of a program: what it gives lies in memory of its own */
    uint32_t argument_count, output_count;
    const struct ets_cost_argument *arguments;
    const struct ets_cost_tensor *outputs;
    bool at_most, is_example; /* of the sizes */
    bool has_position;        /* of the first token, in a generation: */
    uint64_t position;
    struct ets_cost_marks *marks;
};

/* The cost of a call by its operator's rule. */
struct ets_cost ets_cost_of_call(const struct ets_cost_call *call);

/* Elements of a tensor; *ok turns false where a size is not known, or the product too large. */
uint64_t ets_cost_elements(const struct ets_cost_tensor *tensor, bool *ok);
uint64_t ets_cost_tensor_bytes(const struct ets_cost_tensor *tensor, bool *ok);

/* Counts bytes that are read of a tensor: of a weight, of a cache, or of another input. */
void ets_cost_read(struct ets_cost *cost, const struct ets_cost_tensor *tensor, uint64_t bytes,
                   bool *ok);

/* *ok turns false where the result is too large; it never turns true. */
static inline uint64_t ets_cost_times(uint64_t a, uint64_t b, bool *ok)
{
    uint64_t product = 0;
    *ok = ets_mul_u64(a, b, &product) && product <= INT64_MAX && *ok;
    return product;
}

static inline uint64_t ets_cost_plus(uint64_t a, uint64_t b, bool *ok)
{
    uint64_t sum = 0;
    *ok = ets_add_u64(a, b, &sum) && sum <= INT64_MAX && *ok;
    return sum;
}

/* The numbers that elements of a scalar type are. */
enum ets_arithmetic ets_arithmetic_of(int scalar_type);

#endif
