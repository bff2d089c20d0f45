/* What numbers the values of a delegate's payload are, without reading more of it; for devices. */
#ifndef ETSCOPE_FORMAT_DELEGATE_NUMBERS_H
#define ETSCOPE_FORMAT_DELEGATE_NUMBERS_H

#include "etscope/program.h"

struct ets_delegate_numbers {
    uint32_t float32, float16, bfloat16;      /* values of each type */
    uint32_t static_int8, dynamic_int8, int4; /* of each way to quantize */
};

/* All 0 for a backend whose payloads are not read here. */
struct ets_delegate_numbers ets_delegate_numbers(const struct ets_delegate *delegate);

#endif
