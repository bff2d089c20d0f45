/*
 * Plain numbers as tensors without dimensions. The bytes of elements are little-endian on every
 * processor, so that a number in memory is no tensor's data.
 */
#ifndef ETSCOPE_NUMERICS_NUMBER_TENSOR_H
#define ETSCOPE_NUMERICS_NUMBER_TENSOR_H

#include <stdbool.h>

#include "etscope/tensor.h"

enum { ETS_NUMBER_BYTES = 8 };

/* The tensor borrows `room`, which has ETS_NUMBER_BYTES. Integers become int64. */
void ets_tensor_of_integer(int64_t value, uint8_t *room, struct ets_tensor *tensor_out);
void ets_tensor_of_real(double value, uint8_t *room, struct ets_tensor *tensor_out);

/*
 * Passes tensors on as they are. `type_of_bool` is ETS_SCALAR_BOOL, or ETS_SCALAR_LONG for the
 * integers 0 and 1. False: `value` is neither a tensor nor a number.
 */
bool ets_tensor_of_value(const struct ets_value *value, enum ets_scalar_type type_of_bool,
                         uint8_t *room, struct ets_tensor *tensor_out);

#endif
