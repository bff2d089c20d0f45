/*
 * tensor.h - the tensor type that readers, the engine and the numerics share. It borrows its data.
 *
 * Element i, j of a matrix is at data + (i * strides[0] + j * strides[1]) * element bytes. Strides
 * count elements, as in ETDump's Tensor. Scalar types have the runtime's numbers (ExecuTorch
 * schema/scalar_type.fbs). The JSON of an ETRecord uses other numbers.
 */
#ifndef ETSCOPE_TENSOR_H
#define ETSCOPE_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "etscope/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, bytes of an element (0: less than one byte each), NumPy-style name) */
#define ETS_SCALAR_TYPE_LIST(X)                 \
    X(BYTE, 0, 1, "uint8")                      \
    X(CHAR, 1, 1, "int8")                       \
    X(SHORT, 2, 2, "int16")                     \
    X(INT, 3, 4, "int32")                       \
    X(LONG, 4, 8, "int64")                      \
    X(HALF, 5, 2, "float16")                    \
    X(FLOAT, 6, 4, "float32")                   \
    X(DOUBLE, 7, 8, "float64")                  \
    X(COMPLEX_HALF, 8, 4, "complex32")          \
    X(COMPLEX_FLOAT, 9, 8, "complex64")         \
    X(COMPLEX_DOUBLE, 10, 16, "complex128")     \
    X(BOOL, 11, 1, "bool")                      \
    X(QINT8, 12, 1, "qint8")                    \
    X(QUINT8, 13, 1, "quint8")                  \
    X(QINT32, 14, 4, "qint32")                  \
    X(BFLOAT16, 15, 2, "bfloat16")              \
    X(QUINT4X2, 16, 1, "quint4x2")              \
    X(QUINT2X4, 17, 1, "quint2x4")              \
    X(BITS1X8, 18, 1, "bits1x8")                \
    X(BITS2X4, 19, 1, "bits2x4")                \
    X(BITS4X2, 20, 1, "bits4x2")                \
    X(BITS8, 21, 1, "bits8")                    \
    X(BITS16, 22, 2, "bits16")                  \
    X(FLOAT8E5M2, 23, 1, "float8_e5m2")         \
    X(FLOAT8E4M3FN, 24, 1, "float8_e4m3fn")     \
    X(FLOAT8E5M2FNUZ, 25, 1, "float8_e5m2fnuz") \
    X(FLOAT8E4M3FNUZ, 26, 1, "float8_e4m3fnuz") \
    X(UINT16, 27, 2, "uint16")                  \
    X(UINT32, 28, 4, "uint32")                  \
    X(UINT64, 29, 8, "uint64")

enum ets_scalar_type {
#define ETS_SCALAR_TYPE_ENUM(name, number, bytes, text) ETS_SCALAR_##name = number,
    ETS_SCALAR_TYPE_LIST(ETS_SCALAR_TYPE_ENUM)
#undef ETS_SCALAR_TYPE_ENUM
};

/* ExecuTorch's kTensorDimensionLimit. */
#define ETS_TENSOR_MAX_RANK 16

struct ets_tensor {
    enum ets_scalar_type scalar_type;
    uint32_t rank;                        /* number of used sizes; 0 is a scalar tensor */
    int64_t sizes[ETS_TENSOR_MAX_RANK];   /* elements in each dimension, >= 0 */
    int64_t strides[ETS_TENSOR_MAX_RANK]; /* in elements, >= 0 */
    const void *data;  /* borrowed, possibly unaligned; NULL if there are no bytes */
    size_t data_bytes; /* bytes at data; at least ets_tensor_extent */
};

/* What an EValue, a bundled input or an ETDump Value holds. */
enum ets_value_kind {
    ETS_VALUE_NONE = 0,
    ETS_VALUE_TENSOR = 1,
    ETS_VALUE_INT = 2,
    ETS_VALUE_BOOL = 3,
    ETS_VALUE_DOUBLE = 4,
    ETS_VALUE_OTHER = 5 /* lists, strings: exist, but cannot be read here */
};

struct ets_value {
    enum ets_value_kind kind;
    union {
        struct ets_tensor tensor;
        int64_t int_value;
        int32_t bool_value; /* 0 or 1 */
        double double_value;
    } as;
};

/* Bytes of one element; 0 for an unknown scalar type. */
ETS_API size_t ets_scalar_type_bytes(int scalar_type);

/* "float32" for ETS_SCALAR_FLOAT; NULL for an unknown scalar type. */
ETS_API const char *ets_scalar_type_name(int scalar_type);

/* The number of elements, or UINT64_MAX if a size is negative or the product overflows. */
ETS_API uint64_t ets_tensor_count(const struct ets_tensor *tensor);

/*
 * Bytes from the start of the first element to the end of the last one in memory, gaps included:
 * the least that `data_bytes` must be. 0 for a tensor without elements. UINT64_MAX if a size or
 * stride is negative or the number overflows.
 */
ETS_API uint64_t ets_tensor_extent(const struct ets_tensor *tensor);

/* Fills `strides` for the row-major layout of `sizes`. */
ETS_API void ets_tensor_set_contiguous(struct ets_tensor *tensor);

/*
 * Fills `strides` from `dim_order` (outermost first, `rank` entries), as .pte and .bpte store
 * layouts. A size of 0 counts as 1. Status: MALFORMED if dim_order is not a permutation.
 */
ETS_API enum ets_status ets_tensor_set_dim_order(struct ets_tensor *tensor,
                                                 const uint8_t *dim_order);

/* 1 if the elements are in row-major order without gaps, else 0. */
ETS_API int ets_tensor_is_contiguous(const struct ets_tensor *tensor);

/*
 * Copies `count` elements to `out`, packed, in logical (row-major) order from element `first` on,
 * for any strides. The tensor's extent must fit in `data_bytes`, and first + count must not exceed
 * its number of elements. Needs string.h, which some bare-metal toolchains lack.
 */
ETS_API void ets_tensor_gather(const struct ets_tensor *tensor, uint64_t first, size_t count,
                               void *out);

#ifdef __cplusplus
}
#endif

#endif
