/*
 * kernel.h - one call of one of the runtime's kernels, as C has it.
 *
 * Arguments are those of the operator's schema, in its order, the outputs ("out") among them; what
 * the runtime wants behind them (the return values once more) is the engine's affair.
 *
 *     struct ets_kernel_argument arguments[] = {
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &self},
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &other},
 *         {.kind = ETS_KERNEL_INT, .as.int_value = 1},
 *         {.kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &sum},
 *     };
 *     status = engine->kernel_call("aten::add.out", arguments, 4, &error);
 *
 * Nothing is kept: all pointers are borrowed for the call.
 */
#ifndef ETSCOPE_KERNEL_H
#define ETSCOPE_KERNEL_H

#include "etscope/bytes.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ets_kernel_argument_kind {
    ETS_KERNEL_NONE = 0, /* an optional argument that is absent, whatever its type */
    ETS_KERNEL_INT = 1,  /* int, SymInt, and the enumerations: ScalarType, MemoryFormat, Layout */
    ETS_KERNEL_BOOL = 2, /* int_value: 0 or 1 */
    ETS_KERNEL_DOUBLE = 3,
    ETS_KERNEL_STRING = 4,
    ETS_KERNEL_TENSOR = 5,
    ETS_KERNEL_INT_LIST = 6,
    ETS_KERNEL_BOOL_LIST = 7, /* ints: 0 or 1 */
    ETS_KERNEL_DOUBLE_LIST = 8,
    ETS_KERNEL_TENSOR_LIST = 9,
    ETS_KERNEL_OPTIONAL_TENSOR_LIST = 10 /* tensors may be NULL */
};

/*
 * A Scalar is an INT, BOOL or DOUBLE.
 *
 * Tensors must be dense in some order of dimensions (contiguous, channels last). An output's bytes
 * (`data_bytes` of them, which need no value) are written although `data` is const; its sizes are
 * the largest that they may become, and are set, with the strides, to what the kernel made.
 */
struct ets_kernel_argument {
    enum ets_kernel_argument_kind kind;
    int is_output; /* 1: a tensor, or all tensors of a list, that the kernel writes */
    size_t count;  /* of a list */
    union {
        int64_t int_value;
        double double_value;
        struct ets_text text;
        struct ets_tensor *tensor;
        const int64_t *ints;
        const double *doubles;
        struct ets_tensor *const *tensors;
    } as;
};

#ifdef __cplusplus
}
#endif

#endif
