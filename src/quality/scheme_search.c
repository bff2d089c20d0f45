/* Greedy choice of schemes, each step evaluated. */
#include "quality/scheme_search.h"

#include <math.h>

#include "base/error.h"

enum { PRESENT = ETS_WEIGHT_SCHEMES }; /* the scheme that the layer has */

struct search {
    struct ets_graph_divergence *divergence;
    struct ets_layer_study *study;
    struct ets_arena *arena;
    double wanted;
    uint32_t *chosen;      /* [layers.count] scheme of each row; PRESENT: no change */
    const float **numbers; /* [layers.count] by layer */
    float **rounded;       /* [layers.count] rooms, made when needed */
};

static const struct ets_layer_effect *effect_of(const struct search *search, uint32_t row)
{
    const struct ets_layer_row *at = &search->study->rows[row];
    return search->chosen[row] == PRESENT ? &at->present : &at->effects[search->chosen[row]];
}

static uint32_t layer_of(const struct search *search, uint32_t row)
{
    return (uint32_t)(search->study->rows[row].layer - search->study->layers.items);
}

/* The numbers of a row's layer in its chosen scheme. */
static enum ets_status fill(struct search *search, uint32_t row, struct ets_error *error)
{
    const struct ets_quality_layer *layer = search->study->rows[row].layer;
    const uint32_t number = layer_of(search, row), chosen = search->chosen[row];
    search->numbers[number] = NULL;
    if (chosen == PRESENT) return ETS_OK;
    if (chosen == ETS_WEIGHT_FLOAT) {
        search->numbers[number] = layer->numbers;
        return ETS_OK;
    }
    const size_t count = (size_t)(layer->rows * layer->columns);
    if (search->rounded[number] == NULL) {
        search->rounded[number] = ets_arena_alloc_array(search->arena, count, sizeof(float));
    }
    if (search->rounded[number] == NULL) return ets_fail_memory(error, "the weights");
    ets_weight_scheme_round(&ets_weight_schemes[chosen], layer->numbers, (size_t)layer->rows,
                            (size_t)layer->columns, search->rounded[number]);
    search->numbers[number] = search->rounded[number];
    return ETS_OK;
}

static enum ets_status evaluate(struct search *search, double *kl_out, struct ets_error *error)
{
    for (uint32_t i = 0; i < search->study->layers.count; i++) ETS_TRY(fill(search, i, error));
    return ets_graph_divergence_of_own(search->divergence, search->numbers, search->arena, kl_out,
                                       error);
}

/* The change with the largest gain for each byte that it adds; false: nothing gains. */
static bool find_best(const struct search *search, uint32_t *row_out, uint32_t *scheme_out)
{
    double best = 0;
    for (uint32_t i = 0; i < search->study->layers.count; i++) {
        const struct ets_layer_effect *present = effect_of(search, i);
        if (isnan(present->kl) || present->bytes == 0) continue;
        for (uint32_t k = 0; k < ETS_WEIGHT_SCHEMES; k++) {
            const struct ets_layer_effect *other = &search->study->rows[i].effects[k];
            const double gain = present->kl - other->kl; /* NaN is never better */
            const double bytes = (double)other->bytes - (double)present->bytes;
            if (!(gain > 0 && bytes > 0)) continue; /* what it has may be chosen better */
            const double worth = gain / bytes;
            if (worth <= best) continue;
            best = worth;
            *row_out = i;
            *scheme_out = k;
        }
    }
    return best > 0;
}

static int64_t bytes_added(const struct search *search, uint32_t row)
{
    return (int64_t)effect_of(search, row)->bytes - (int64_t)search->study->rows[row].present.bytes;
}

/* Takes changes back, the largest first, as long as the wanted divergence is kept. */
static enum ets_status take_back(struct search *search, struct ets_error *error)
{
    const uint32_t count = search->study->layers.count;
    int64_t below = INT64_MAX;
    for (uint32_t turn = 0; turn < count; turn++) {
        uint32_t row = count;
        double kl;
        for (uint32_t i = 0; i < count; i++) {
            if (search->chosen[i] == PRESENT || bytes_added(search, i) >= below) continue;
            if (row == count || bytes_added(search, i) > bytes_added(search, row)) row = i;
        }
        if (row == count) return ETS_OK;
        const uint32_t scheme = search->chosen[row];
        below = bytes_added(search, row);
        search->chosen[row] = PRESENT;
        ETS_TRY(evaluate(search, &kl, error));
        if (kl <= search->wanted) search->study->changed_kl = kl;
        else search->chosen[row] = scheme;
    }
    return ETS_OK;
}

static enum ets_status conclude(struct search *search, struct ets_error *error)
{
    struct ets_layer_study *study = search->study;
    const uint32_t count = study->layers.count;
    study->is_reached = study->changed_kl <= search->wanted;
    study->changes = ets_arena_alloc_array(search->arena, count, sizeof *study->changes);
    if (study->changes == NULL) return ets_fail_memory(error, "the changes");
    for (uint32_t i = 0; i < count; i++) {
        if (search->chosen[i] == PRESENT) continue;
        study->added_bytes += bytes_added(search, i);
        study->changes[study->change_count++] = (struct ets_layer_change){i, search->chosen[i]};
    }
    return ETS_OK;
}

enum ets_status ets_scheme_search(struct ets_graph_divergence *divergence, double wanted,
                                  struct ets_layer_study *study, struct ets_arena *arena,
                                  struct ets_error *error)
{
    const uint32_t count = study->layers.count;
    struct search search = {
        .divergence = divergence, .study = study, .arena = arena, .wanted = wanted};
    search.chosen = ets_arena_alloc_array(arena, count, sizeof *search.chosen);
    search.numbers = ets_arena_alloc_array(arena, count, sizeof *search.numbers);
    search.rounded = ets_arena_alloc_array(arena, count, sizeof *search.rounded);
    if (search.chosen == NULL || search.numbers == NULL || search.rounded == NULL) {
        return ets_fail_memory(error, "the changes");
    }
    for (uint32_t i = 0; i < count; i++) search.chosen[i] = PRESENT;
    study->changed_kl = study->own_kl;
    uint32_t row, scheme;
    while (study->changed_kl > wanted && find_best(&search, &row, &scheme)) {
        search.chosen[row] = scheme;
        ETS_TRY(evaluate(&search, &study->changed_kl, error));
    }
    if (study->changed_kl <= wanted) ETS_TRY(take_back(&search, error));
    return conclude(&search, error);
}
