/* Divides the squared error of a value by the indices of each dimension. */
#include "gap/channels.h"

#include <math.h>

#include "base/quantile.h"
#include "base/text.h"
#include "etscope/numerics.h"
#include "gap/gap_details.h"
#include "gap/gap_parts.h"
#include "gap/number_pairs.h"
#include "numerics/decode.h"
#include "numerics/element.h"
#include "numerics/pair_rows.h"

/* Of fewer channels, one may well have half of the error by chance; more are not summed. */
enum { LEAST_CHANNELS = 8, MOST_CHANNELS = 1 << 16 };

static bool is_divided(const struct ets_tensor *tensor, uint32_t dimension)
{
    const int64_t size = tensor->sizes[dimension];
    return size >= LEAST_CHANNELS && size <= MOST_CHANNELS;
}

/* Where a walk in logical order is: numbers of one index of a dimension follow each other. */
struct place {
    uint64_t inner, size; /* numbers of an index in a row, indices */
    uint64_t left, index; /* numbers that still have this index */
};

static struct place place_of(const struct ets_tensor *tensor, uint32_t dimension)
{
    uint64_t inner = ets_scalar_component_count(tensor->scalar_type);
    for (uint32_t d = dimension + 1; d < tensor->rank; d++) inner *= (uint64_t)tensor->sizes[d];
    return (struct place){inner, (uint64_t)tensor->sizes[dimension], inner, 0};
}

/* How many of the next numbers, at most `most`, have the index of the place. */
static size_t same_index(const struct place *place, size_t most)
{
    return place->left < most ? (size_t)place->left : most;
}

static void advance(struct place *place, size_t count)
{
    place->left -= count;
    if (place->left > 0) return;
    place->left = place->inner;
    if (++place->index == place->size) place->index = 0;
}

/* Squared errors: by the index of a dimension, of all elements, and of the worst element. */
struct squares {
    double *sums, all, worst;
};

/* Adds up the squared error by the index of a dimension; `all` stays 0 if there is none. */
static void sum_by_index(const struct ets_tensor *reference, const struct ets_tensor *device,
                         uint32_t dimension, struct squares *squares)
{
    struct gap_number_pairs pairs;
    if (!gap_number_pairs_init(&pairs, reference, device)) return;
    struct place place = place_of(reference, dimension);
    while (gap_number_pairs_next(&pairs)) {
        for (size_t i = 0; i < pairs.count;) {
            const size_t run = same_index(&place, pairs.count - i), end = i + run;
            double *sum = &squares->sums[place.index];
            advance(&place, run);
            for (; i < end; i++) {
                const double error = pairs.left[i] - pairs.right[i], square = error * error;
                if (!isfinite(square)) continue;
                *sum += square;
                squares->all += square;
                if (square > squares->worst) squares->worst = square;
            }
        }
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

/* With fewer numbers in each, a channel has no size of its own. */
enum { LEAST_NUMBERS = 8 };

/* The dimension of a value's channels; ETS_NO_INDEX: it has too few, or too little in each. */
static uint32_t dimension_of(const struct ets_graph_node *node, const struct ets_tensor *value)
{
    static const char *const in_front[] = {"conv", "pool", "batch_norm"};
    if (value->rank < 2) return ETS_NO_INDEX;
    uint32_t dimension = value->rank >= 4 ? 1 : value->rank - 1;
    for (size_t i = 0; i < sizeof in_front / sizeof *in_front; i++) {
        if (ets_text_contains(node->op, in_front[i])) dimension = 1;
    }
    if (!is_divided(value, dimension)) return ETS_NO_INDEX;
    const uint64_t each = ets_tensor_count(value) / (uint64_t)value->sizes[dimension];
    return each >= LEAST_NUMBERS ? dimension : ETS_NO_INDEX;
}

/* Adds the pairs in logical order, for any strides. */
static void sum_in_order(struct gap_number_pairs *pairs, struct place place,
                         struct ets_pair_row_sums *sums)
{
    while (gap_number_pairs_next(pairs)) {
        for (size_t i = 0; i < pairs->count;) {
            const size_t run = same_index(&place, pairs->count - i), end = i + run;
            struct ets_pair_row_sums own = sums[place.index];
            for (; i < end; i++) ets_pair_rows_add_pair(&own, pairs->left[i], pairs->right[i]);
            sums[place.index] = own;
            advance(&place, run);
        }
    }
}

/* Of a dense tensor: `count` numbers from number `first` on, in place or in `room`. */
static const double *numbers_at(const struct ets_tensor *tensor, uint64_t first, size_t count,
                                double *room)
{
    const size_t bytes = ets_scalar_type_bytes(tensor->scalar_type);
    return ets_decoded((const uint8_t *)tensor->data + (size_t)first * bytes, tensor->scalar_type,
                       count, room);
}

/* Adds the pairs of two dense tensors, several channels at a time. */
static void sum_rows(const struct ets_tensor *reference, const struct ets_tensor *device,
                     const struct place *place, struct ets_pair_row_sums *sums)
{
    enum { ROWS = ETS_ROWS_AT_ONCE, NUMBERS = 128 };
    double left_room[ROWS][NUMBERS], right_room[ROWS][NUMBERS];
    const double *left[ROWS], *right[ROWS];
    const uint64_t all = ets_tensor_count(reference) / place->inner;
    for (uint64_t row = 0, rows; row < all; row += rows) {
        const uint64_t index = row % place->size, next = place->size - index;
        rows = next < ROWS ? next : ROWS;
        for (uint64_t at = 0, count; at < place->inner; at += count) {
            count = place->inner - at < NUMBERS ? place->inner - at : NUMBERS;
            for (uint64_t k = 0; k < rows; k++) {
                const uint64_t first = (row + k) * place->inner + at;
                left[k] = numbers_at(reference, first, (size_t)count, left_room[k]);
                right[k] = numbers_at(device, first, (size_t)count, right_room[k]);
            }
            ets_pair_rows_add(&sums[index], (size_t)rows, left, right, (size_t)count);
        }
    }
}

/* Whether the channels are long rows of numbers in both tensors. */
static bool has_rows(const struct ets_tensor *reference, const struct ets_tensor *device,
                     const struct place *place)
{
    enum { LEAST_ROW = 16 };
    return place->inner >= LEAST_ROW && ets_tensor_is_contiguous(reference) &&
           ets_tensor_is_contiguous(device) &&
           ets_scalar_component_count(reference->scalar_type) == 1 &&
           ets_scalar_component_count(device->scalar_type) == 1;
}

/* Sums errors and the reference by channel; returns the mean square of the reference. */
static double sum_channels(const struct ets_tensor *reference, const struct ets_tensor *device,
                           uint32_t dimension, struct ets_pair_row_sums *sums)
{
    struct gap_number_pairs pairs;
    const uint64_t count = ets_tensor_count(reference);
    double all = 0;
    if (count == 0 || !gap_number_pairs_init(&pairs, reference, device)) return 0;
    const struct place place = place_of(reference, dimension);
    if (has_rows(reference, device, &place)) sum_rows(reference, device, &place, sums);
    else sum_in_order(&pairs, place, sums);
    for (uint64_t i = 0; i < place.size; i++) all += sums[i].power;
    return all / (double)(count * ets_scalar_component_count(reference->scalar_type));
}

/* The largest numbers of the loudest channel and of the next. */
static void note_reaches(const struct ets_pair_row_sums *sums, uint32_t count,
                         struct ets_gap_channels *channels)
{
    channels->largest = sums[0].reach;
    for (uint32_t i = 1; i < count; i++) {
        if (sums[i].reach > channels->largest) {
            channels->next = channels->largest;
            channels->largest = sums[i].reach;
            channels->loudest = i;
        } else if (sums[i].reach > channels->next) {
            channels->next = sums[i].reach;
        }
    }
}

enum ets_status ets_gap_channel_errors(struct ets_arena *arena, const struct ets_graph_node *node,
                                       const struct ets_tensor *reference,
                                       const struct ets_tensor *device,
                                       struct ets_gap_channels *channels_out,
                                       struct ets_error *error)
{
    const uint32_t dimension = dimension_of(node, reference);
    *channels_out = (struct ets_gap_channels){.count = 0, .median = NAN};
    if (dimension == ETS_NO_INDEX) return ETS_OK;
    const uint32_t size = (uint32_t)reference->sizes[dimension];
    double *errors = ets_arena_alloc_array(arena, size, sizeof *errors);
    struct ets_pair_row_sums *sums = ets_arena_alloc_array(arena, size, sizeof *sums);
    if (errors == NULL || sums == NULL) return gap_fail_memory(error);
    const double mean = sum_channels(reference, device, dimension, sums);
    const double unit = 8 * ets_gap_epsilon((int)device->scalar_type);
    const double each = (double)ets_tensor_count(reference) / size;
    uint32_t count = 0;
    for (uint32_t i = 0; i < size; i++) {
        if (!(sums[i].power > 0)) continue;
        const bool is_rounding = sums[i].error <= unit * unit * mean * each;
        errors[count++] = is_rounding ? 0 : sqrt(sums[i].error / sums[i].power);
    }
    if (count < LEAST_CHANNELS) return ETS_OK;
    ets_sort_doubles(errors, count);
    *channels_out = (struct ets_gap_channels){
        .count = count, .median = errors[(count - 1) / 2], .errors = errors};
    note_reaches(sums, size, channels_out);
    return ETS_OK;
}

/* So many times larger than all other channels is loud. */
enum { LOUD = 8 };

bool ets_gap_channel_sets_step(const struct ets_gap_report *report, const struct ets_gap_row *row)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    const struct ets_gap_channels *own = &row->own_channels, *total = &row->total_channels;
    if (verdict->against != ETS_GAP_AGAINST_OTHER || own->count == 0) return false;
    return own->median > 2 * row->own_error && total->largest >= LOUD * total->next;
}
