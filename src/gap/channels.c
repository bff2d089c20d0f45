/* Divides the squared error of a value by the indices of each dimension. */
#include "gap/channels.h"

#include <math.h>

#include "etscope/numerics.h"

/* Of fewer channels, one may well have half of the error by chance; more are not summed. */
enum { LEAST_CHANNELS = 8, MOST_CHANNELS = 1 << 16 };

static bool is_divided(const struct ets_tensor *tensor, uint32_t dimension)
{
    const int64_t size = tensor->sizes[dimension];
    return size >= LEAST_CHANNELS && size <= MOST_CHANNELS;
}

/* Squared errors: by the index of a dimension, of all elements, and of the worst element. */
struct squares {
    double *sums, all, worst;
};

/* Adds up the squared error by the index of a dimension; `all` stays 0 if there is none. */
static void sum_by_index(const struct ets_tensor *reference, const struct ets_tensor *device,
                         uint32_t dimension, struct squares *squares)
{
    struct ets_elements left, right;
    double one, two;
    uint64_t inner = 1, at = 0;
    const uint64_t size = (uint64_t)reference->sizes[dimension];
    if (ets_elements_init(&left, reference, NULL) != ETS_OK ||
        ets_elements_init(&right, device, NULL) != ETS_OK) {
        return;
    }
    for (uint32_t d = dimension + 1; d < reference->rank; d++) {
        inner *= (uint64_t)reference->sizes[d];
    }
    for (; ets_elements_next(&left, &one) && ets_elements_next(&right, &two); at++) {
        const double square = (one - two) * (one - two);
        if (!isfinite(square)) continue;
        squares->sums[at / inner % size] += square;
        squares->all += square;
        squares->worst = fmax(squares->worst, square);
    }
}

static uint32_t largest_of(const double *sums, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (sums[i] > sums[largest]) largest = i;
    }
    return largest;
}

enum ets_status ets_gap_channel_find(struct ets_arena *arena, const struct ets_tensor *reference,
                                     const struct ets_tensor *device,
                                     struct ets_gap_channel *channel_out, struct ets_error *error)
{
    uint32_t concentrated = 0;
    *channel_out = (struct ets_gap_channel){.size = 0};
    for (uint32_t d = 0; d < reference->rank; d++) {
        if (!is_divided(reference, d)) continue;
        const uint32_t size = (uint32_t)reference->sizes[d];
        struct squares squares = {.sums = ets_arena_alloc_array(arena, size, sizeof(double))};
        if (squares.sums == NULL) return gap_fail_memory(error);
        sum_by_index(reference, device, d, &squares);
        const double most = squares.sums[largest_of(squares.sums, size)];
        if (!(squares.all > 0)) break;
        if (most < squares.all / 2 || squares.worst > most / 2) continue;
        concentrated++;
        *channel_out =
            (struct ets_gap_channel){d, largest_of(squares.sums, size), size, most / squares.all};
    }
    if (concentrated != 1) channel_out->size = 0;
    return ETS_OK;
}
