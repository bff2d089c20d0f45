/* The operators of TOSA, of which TOSA graphs and VGF files are made. */
#ifndef ETSCOPE_PAYLOAD_TOSA_OPERATORS_H
#define ETSCOPE_PAYLOAD_TOSA_OPERATORS_H

#include "payload/payload_reader.h"

/* Numbers that readers need to know. In SPIR-V's instructions they are one less. */
enum {
    ETS_TOSA_AVG_POOL2D = 2,
    ETS_TOSA_CONV2D = 3,
    ETS_TOSA_CONV3D = 4,
    ETS_TOSA_DEPTHWISE_CONV2D = 5,
    ETS_TOSA_MATMUL = 7,
    ETS_TOSA_MAX_POOL2D = 8,
    ETS_TOSA_TRANSPOSE_CONV2D = 10,
    ETS_TOSA_CLAMP = 11,
    ETS_TOSA_CONST = 67,
    ETS_TOSA_COND_IF = 70,
    ETS_TOSA_WHILE_LOOP = 71,
    ETS_TOSA_CONST_SHAPE = 75
};

struct ets_tosa_operator {
    const char *name;      /* "CONV2D" */
    const char *operation; /* base name of ATen's operator; NULL: none does the same */
    /* Of the instruction of SPIR-V, the names of the operands before its tensors, in their order;
     * NULL: none. */
    const char *attributes;
};

/* NULL: no operator of TOSA 1.1 has this number. */
const struct ets_tosa_operator *ets_tosa_operator(uint32_t number);

/* The type of this number; one that is not known for other numbers. */
const struct ets_payload_type *ets_tosa_type(uint32_t number);
enum { ETS_TOSA_INT32 = 5, ETS_TOSA_SHAPE = 10 }; /* of types */

/* Sets name, operation, and from operands and parameters what the node multiplies. */
void ets_tosa_explain(const struct ets_payload_graph *graph, uint32_t number,
                      struct ets_payload_node *node);

#endif
