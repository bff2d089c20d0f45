/* One element of any scalar type as numbers. */
#ifndef ETSCOPE_NUMERICS_ELEMENT_H
#define ETSCOPE_NUMERICS_ELEMENT_H

#include "etscope/tensor.h"

/*
 * How many numbers an element consists of: 1; 2 for complex types (real, imaginary); 0 for types
 * whose elements are smaller than a byte or no numbers (quint4x2, quint2x4, the bits types), and
 * for a number that is no scalar type.
 */
uint32_t ets_scalar_component_count(int scalar_type);

/*
 * Number `component` (below ets_scalar_component_count, which must not be 0) of the element at
 * `at`, little-endian and possibly unaligned. Exact for every type but int64 and uint64, which are
 * rounded to the nearest double (ties to even) beyond 2^53. Quantized types give the stored
 * integer, without scale and zero point; bool gives 0 or 1. The 8-bit floats are those of ONNX and
 * ml_dtypes: e4m3fn and the fnuz types have no infinities, the fnuz types no negative zero.
 */
double ets_element_load(const void *at, int scalar_type, uint32_t component);

#endif
