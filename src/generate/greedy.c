/* The greedy token of logits of any type. */
#include "generate/greedy.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numerics/decode.h"
#include "numerics/element.h"

enum { BLOCK = 512 };

void ets_put_integer(uint8_t *bytes, int scalar_type, uint32_t index, int64_t value)
{
    const size_t size = scalar_type == ETS_SCALAR_INT ? 4 : 8;
    for (size_t i = 0; i < size; i++) {
        bytes[index * size + i] = (uint8_t)((uint64_t)value >> 8 * i); /* little-endian */
    }
}

enum ets_status ets_logits_row(const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                               const uint8_t **first_out, uint32_t *vocabulary_out,
                               struct ets_error *error)
{
    const uint64_t count = ets_tensor_count(logits);
    const size_t size = ets_scalar_type_bytes(logits->scalar_type);
    const int64_t vocabulary = logits->rank > 0 ? logits->sizes[logits->rank - 1] : 0;
    if (vocabulary < 1 || vocabulary > UINT32_MAX || row >= rows ||
        count != (uint64_t)rows * (uint64_t)vocabulary || !ets_tensor_is_contiguous(logits) ||
        ets_tensor_extent(logits) > logits->data_bytes) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the logits have %llu numbers, not those of %u token%s",
                        (unsigned long long)count, rows, rows == 1 ? "" : "s");
    }
    if (ets_scalar_component_count(logits->scalar_type) != 1) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "the logits are no real numbers");
    }
    *first_out = (const uint8_t *)logits->data + (size_t)row * (size_t)vocabulary * size;
    *vocabulary_out = (uint32_t)vocabulary;
    return ETS_OK;
}

enum ets_status ets_greedy_token(const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                                 int64_t *token_out, struct ets_error *error)
{
    const uint8_t *at;
    uint32_t vocabulary;
    ETS_TRY(ets_logits_row(logits, row, rows, &at, &vocabulary, error));
    const size_t size = ets_scalar_type_bytes(logits->scalar_type);
    double largest = -INFINITY;
    bool is_found = false;
    for (uint32_t begin = 0; begin < vocabulary; begin += BLOCK) {
        double numbers[BLOCK];
        const uint32_t count = vocabulary - begin < BLOCK ? vocabulary - begin : BLOCK;
        ets_decode(at + begin * size, logits->scalar_type, count, numbers);
        for (uint32_t i = 0; i < count; i++) {
            if (isnan(numbers[i])) {
                return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET,
                                "logit %u is NaN: no token can be chosen", begin + i);
            }
            if (numbers[i] <= largest) continue;
            largest = numbers[i];
            *token_out = begin + i;
            is_found = true;
        }
    }
    if (is_found) return ETS_OK;
    return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET, "all logits are -infinity");
}
