/* Reads one element of any scalar type. */
#ifndef ETSCOPE_NUMERICS_ELEMENT_H
#define ETSCOPE_NUMERICS_ELEMENT_H

#include "etscope/tensor.h"

/*
 * The numbers in an element: 1; 2 for complex types (real, imaginary); 0 for types whose elements
 * are smaller than a byte or not numbers (quint4x2, quint2x4, the bits types), and for unknown
 * types.
 */
uint32_t ets_scalar_component_count(int scalar_type);

/*
 * Number `component` (below ets_scalar_component_count, which must not be 0) of the element at
 * `at`, little-endian and possibly unaligned. Exact, except that int64 and uint64 beyond 2^53 are
 * rounded to the nearest double (ties to even). Quantized types return the stored integer, without
 * scale and zero point; bool returns 0 or 1. The 8-bit floats are those of ONNX and ml_dtypes:
 * e4m3fn and the fnuz types have no infinities, the fnuz types no negative zero.
 */
double ets_element_load(const void *at, int scalar_type, uint32_t component);

#endif
