/* Converts many elements to doubles. */
#ifndef ETSCOPE_NUMERICS_DECODE_H
#define ETSCOPE_NUMERICS_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Converts `count` packed elements at `bytes`: count times ets_scalar_component_count numbers, the
 * same as from ets_element_load.
 */
void ets_decode(const void *bytes, int scalar_type, size_t count, double *numbers_out);

/* Whether elements of this type at `bytes` are doubles of this machine. */
bool ets_are_doubles(const void *bytes, int scalar_type);

/* The same numbers as from ets_decode, in place if they are doubles of this machine, or in `room`.
 */
const double *ets_decoded(const void *bytes, int scalar_type, size_t count, double *room);

/*
 * The plain type with the same numbers: the type of a complex type's parts, the integers of a
 * quantized type, or the type itself.
 */
int ets_plain_type(int scalar_type);

#endif
