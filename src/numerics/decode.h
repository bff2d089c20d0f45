/* Converts many elements to doubles. */
#ifndef ETSCOPE_NUMERICS_DECODE_H
#define ETSCOPE_NUMERICS_DECODE_H

#include <stddef.h>

/*
 * Converts `count` packed elements at `bytes`: count times ets_scalar_component_count numbers, the
 * same as from ets_element_load.
 */
void ets_decode(const void *bytes, int scalar_type, size_t count, double *numbers_out);

/*
 * The plain type with the same numbers: the type of a complex type's parts, the integers of a
 * quantized type, or the type itself.
 */
int ets_plain_type(int scalar_type);

#endif
