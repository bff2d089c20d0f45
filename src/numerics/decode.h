/* Many elements at once as doubles. */
#ifndef ETSCOPE_NUMERICS_DECODE_H
#define ETSCOPE_NUMERICS_DECODE_H

#include <stddef.h>

/*
 * The numbers of `count` elements that lie one after the other at `bytes`: count times
 * ets_scalar_component_count of them, as ets_element_load gives them.
 */
void ets_decode(const void *bytes, int scalar_type, size_t count, double *numbers_out);

/*
 * The type that stores the same numbers plainly: that of a complex type's parts, the integers of a
 * quantized type; any other type itself.
 */
int ets_plain_type(int scalar_type);

#endif
