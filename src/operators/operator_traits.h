/*
 * What an operator is, by its name: the one table of such facts. Rules that need more than a name
 * (what it costs, which delegate takes it, how it is computed) are elsewhere.
 *
 *     if (ets_operator_is(node->op, ETS_OPERATOR_PRODUCT)) count_product(node);
 *
 * Names may be those of kernels ("aten::add.out", "add.out"), of edge and ATen operators
 * ("aten.add.Tensor", "add.Tensor") and of other libraries ("quantized_decomposed.quantize_...").
 * Sources: ATen's native_functions.yaml; ExecuTorch's kernels, exir/dialects/edge.
 */
#ifndef ETSCOPE_OPERATORS_OPERATOR_TRAITS_H
#define ETSCOPE_OPERATORS_OPERATOR_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum ets_operator_trait {
    ETS_OPERATOR_RANDOM = 1 << 0,      /* draws numbers */
    ETS_OPERATOR_DROPOUT = 1 << 1,     /* draws numbers while it trains */
    ETS_OPERATOR_PRODUCT = 1 << 2,     /* of matrices */
    ETS_OPERATOR_CONVOLUTION = 1 << 3, /* also transposed */
    ETS_OPERATOR_VIEW = 1 << 4,        /* the same elements in the same order */
    ETS_OPERATOR_PERMUTE = 1 << 5,     /* the same elements in another order */
    ETS_OPERATOR_PART = 1 << 6,        /* some of the elements, or all several times */
    ETS_OPERATOR_SIZE = 1 << 7,        /* takes an item of a list, or a size of a tensor */
    ETS_OPERATOR_CAST = 1 << 8,        /* converts a type */
    ETS_OPERATOR_QUANTIZE = 1 << 9,    /* floats to integers and a scale */
    ETS_OPERATOR_DEQUANTIZE = 1 << 10,
    ETS_OPERATOR_CHOOSE_SCALE = 1 << 11, /* of a tensor at run time */
    ETS_OPERATOR_COMPARE = 1 << 12,
    ETS_OPERATOR_PAIRWISE = 1 << 13, /* arithmetic of two tensors, element by element */
    ETS_OPERATOR_IN_PLACE = 1 << 14  /* its kernels go over input and output in the same order, and
                                        need no element twice */
};

/* What multiplies weights or matrices. */
#define ETS_OPERATOR_MULTIPLICATION (ETS_OPERATOR_PRODUCT | ETS_OPERATOR_CONVOLUTION)

/* Whatever goes with quantization, around an operator. */
#define ETS_OPERATOR_QUANTIZATION \
    (ETS_OPERATOR_QUANTIZE | ETS_OPERATOR_DEQUANTIZE | ETS_OPERATOR_CHOOSE_SCALE)

/*
 * The common name of an operator's variants: "permute" of "permute_copy.out", "add" of
 * "aten.add.Tensor" and of "aten::add_", "linear" of "aten::linear".
 */
struct ets_text ets_operator_base_name(struct ets_text name);

/* Whether it is the variant that changes its first argument: "index_put_" of
 * "aten.index_put_.default". */
bool ets_operator_is_mutating(struct ets_text name);

/* The traits of an operator; 0 also for one that is not in the table. */
uint32_t ets_operator_traits(struct ets_text name);

/* Whether it has one of these traits. */
static inline bool ets_operator_is(struct ets_text name, uint32_t traits)
{
    return (ets_operator_traits(name) & traits) != 0;
}

#endif
