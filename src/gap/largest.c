/* Finds the largest number of each row of two tensors. */
#include "gap/largest.h"

#include <math.h>
#include <string.h>

#include "etscope/numerics.h"
#include "gap/number_pairs.h"
#include "reference/reference_value.h"

enum { MOST_DIMENSIONS = 3 };

/* Which numbers are scores of classes no file tells: images and numbers alone are not. */
static bool can_be_scores(const struct ets_tensor *reference, const struct ets_tensor *device)
{
    const uint32_t rank = reference->rank;
    return rank > 0 && rank <= MOST_DIMENSIONS && rank == device->rank &&
           memcmp(reference->sizes, device->sizes, rank * sizeof *reference->sizes) == 0 &&
           reference->sizes[rank - 1] > 1 && reference->sizes[rank - 1] <= UINT32_MAX &&
           ets_reference_is_floating((int)device->scalar_type);
}

/* Of one row: where both have their largest number, and how large it is. */
struct tops {
    uint32_t reference_at, device_at;
    double reference, device;
    double reference_there; /* what the reference has where the device's is largest */
};

static void see(struct tops *tops, uint32_t at, double reference, double device)
{
    if (at == 0 || reference > tops->reference) {
        tops->reference = reference;
        tops->reference_at = at;
    }
    if (at > 0 && !(device > tops->device)) return;
    tops->device = device;
    tops->device_at = at;
    tops->reference_there = reference;
}

/* Adds a row; keeps the places of the first that moved, else of the first. */
static void note(struct ets_gap_largest *found, const struct tops *tops)
{
    /* Where the reference has its largest number twice, either is right. */
    const bool has_moved = tops->reference_there < tops->reference;
    if (found->rows == 0 || (has_moved && found->moved == 0)) {
        found->reference = tops->reference_at;
        found->device = has_moved ? tops->device_at : tops->reference_at;
    }
    found->rows++;
    found->moved += has_moved;
}

struct ets_gap_largest ets_gap_largest_of(const struct ets_tensor *reference,
                                          const struct ets_tensor *device)
{
    struct ets_gap_largest found = {.rows = 0};
    const struct ets_gap_largest none = found;
    struct gap_number_pairs pairs;
    struct tops tops = {0};
    uint32_t at = 0;
    if (!can_be_scores(reference, device) || !gap_number_pairs_init(&pairs, reference, device)) {
        return none;
    }
    found.size = (uint32_t)reference->sizes[reference->rank - 1];
    while (gap_number_pairs_next(&pairs)) {
        for (size_t i = 0; i < pairs.count; i++) {
            if (isnan(pairs.left[i]) || isnan(pairs.right[i])) return none;
            see(&tops, at, pairs.left[i], pairs.right[i]);
            if (++at < found.size) continue;
            note(&found, &tops);
            at = 0;
        }
    }
    return found;
}
