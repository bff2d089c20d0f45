/* Puts each layer's quantization into the float graph, and ranks what it adds. */
#include "quality/layer_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "quality/graph_divergence.h"
#include "quality/graph_engine.h"
#include "quality/program_weights.h"
#include "quality/scheme_search.h"

struct work {
    const struct ets_layer_study_options *options;
    struct ets_layer_study *study;
    struct ets_arena *arena;
    struct ets_graph_divergence divergence;
    const float **numbers; /* [layers.count] of the next evaluation */
    float *room;           /* of the largest layer */
};

static enum ets_status find_layers(struct work *work, struct ets_error *error)
{
    const struct ets_layer_study_options *options = work->options;
    struct ets_quality_layers *layers = &work->study->layers;
    const char *method = options->model->prefill.name;
    const struct ets_graph *graph, *fallback;
    ETS_TRY(ets_graph_of_method(options->reference, method, &graph, &fallback, error));
    ETS_TRY(ets_quality_layers_find(options->reference, graph, work->arena, layers, error));
    if (layers->count == 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "%.*s: no product or embedding takes a floating-point weight of two "
                        "dimensions from the record; it must be of the float model",
                        ETS_TEXT(graph->name));
    }
    if (options->program != NULL) {
        ETS_TRY(ets_program_weights_take(layers, options->program, work->arena, error));
    }
    if (options->own == NULL) return ETS_OK;
    work->study->is_of_own = true;
    ETS_TRY(ets_graph_of_method(options->own, method, &graph, &fallback, error));
    ETS_TRY(ets_quality_layers_join(layers, options->own, graph, work->arena, error));
    work->study->is_of_own = false;
    return ETS_OK;
}

static enum ets_status make_room(struct work *work, struct ets_error *error)
{
    const struct ets_quality_layers *layers = &work->study->layers;
    struct ets_layer_study *study = work->study;
    uint64_t most = 0;
    for (uint32_t i = 0; i < layers->count; i++) {
        const uint64_t count = layers->items[i].rows * layers->items[i].columns;
        if (count > most) most = count;
    }
    work->room = ets_arena_alloc_array(work->arena, (size_t)most, sizeof *work->room);
    work->numbers = ets_arena_alloc_array(work->arena, layers->count, sizeof *work->numbers);
    study->rows = ets_arena_alloc_array(work->arena, layers->count, sizeof *study->rows);
    if (work->room == NULL || work->numbers == NULL || study->rows == NULL) {
        return ets_fail_memory(error, "the layers");
    }
    return ETS_OK;
}

/* What the quantized graph as a whole adds, and without its weights. */
static enum ets_status measure_graph(struct work *work, struct ets_error *error)
{
    struct ets_layer_study *study = work->study;
    const struct ets_quality_layers *layers = &study->layers;
    struct ets_error inner = {.status = ETS_OK};
    const enum ets_status status =
        ets_graph_divergence_of_own(&work->divergence, NULL, work->arena, &study->own_kl, &inner);
    if (status == ETS_UNSUPPORTED || status == ETS_RUNTIME) {
        study->own_reason = ets_arena_copy_text(work->arena, inner.message, strlen(inner.message));
        return study->own_reason != NULL ? ETS_OK : ets_fail_memory(error, "a reason");
    }
    if (status != ETS_OK) {
        study->is_of_own = true;
        if (error != NULL) *error = inner;
        return status;
    }
    if (!work->options->model->is_one) {
        study->own_reason = "its tokens go through two methods, and weights are changed in one";
        return ETS_OK;
    }
    for (uint32_t i = 0; i < layers->count; i++) work->numbers[i] = layers->items[i].numbers;
    return ets_graph_divergence_of_own(&work->divergence, work->numbers, work->arena,
                                       &study->rest_kl, error);
}

/* What all present weights together add. */
static enum ets_status measure_weights(struct work *work, struct ets_error *error)
{
    const struct ets_quality_layers *layers = &work->study->layers;
    bool is_any = false;
    for (uint32_t i = 0; i < layers->count; i++) {
        work->numbers[i] = layers->items[i].present;
        work->study->known_count += layers->items[i].present != NULL;
        is_any |= layers->items[i].present != NULL;
    }
    if (!is_any) return ETS_OK;
    return ets_graph_divergence_of_reference(&work->divergence, work->numbers,
                                             &work->study->weights_kl, error);
}

/* The float graph with one layer in other numbers. */
static enum ets_status measure_one(struct work *work, uint32_t layer, const float *numbers,
                                   double *kl_out, struct ets_error *error)
{
    for (uint32_t i = 0; i < work->study->layers.count; i++) work->numbers[i] = NULL;
    work->numbers[layer] = numbers;
    return ets_graph_divergence_of_reference(&work->divergence, work->numbers, kl_out, error);
}

/* Whether a layer's present numbers are those of its scheme in `room`. */
static bool is_rounded(const struct ets_quality_layer *layer, const float *room)
{
    for (uint64_t i = 0; i < layer->rows * layer->columns; i++) {
        const float apart = fabsf(room[i] - layer->present[i]);
        if (!(apart <= 1e-5f * fabsf(room[i]) + 1e-30f)) return false;
    }
    return true;
}

static void compare_scales(struct work *work, const struct ets_quality_layer *layer)
{
    const struct ets_weight_scheme *scheme = &layer->scheme;
    if (scheme->bits == 0 || ets_weight_scheme_is_float(scheme)) return;
    if (!ets_weight_scheme_fits(scheme, layer->columns)) return;
    ets_weight_scheme_round(scheme, layer->numbers, (size_t)layer->rows, (size_t)layer->columns,
                            work->room);
    work->study->has_other_scales |= !is_rounded(layer, work->room);
}

static enum ets_status measure_layer(struct work *work, uint32_t number, struct ets_error *error)
{
    const struct ets_quality_layer *layer = &work->study->layers.items[number];
    struct ets_layer_row *row = &work->study->rows[number];
    *row = (struct ets_layer_row){.layer = layer, .present.kl = NAN};
    if (layer->present != NULL) {
        compare_scales(work, layer);
        row->present.bytes = layer->scheme.bits == 0
                                 ? 0
                                 : ets_weight_scheme_bytes(&layer->scheme, layer->rows,
                                                           layer->columns, layer->is_embedding);
        ETS_TRY(measure_one(work, number, layer->present, &row->present.kl, error));
    }
    for (uint32_t i = 0; i < ETS_WEIGHT_SCHEMES; i++) {
        const struct ets_weight_scheme *scheme = &ets_weight_schemes[i];
        row->effects[i] = (struct ets_layer_effect){.kl = NAN};
        if (!ets_weight_scheme_fits(scheme, layer->columns)) continue;
        row->effects[i].bytes =
            ets_weight_scheme_bytes(scheme, layer->rows, layer->columns, layer->is_embedding);
        if (ets_weight_scheme_is_float(scheme)) {
            row->effects[i].kl = 0;
            continue;
        }
        ets_weight_scheme_round(scheme, layer->numbers, (size_t)layer->rows, (size_t)layer->columns,
                                work->room);
        ETS_TRY(measure_one(work, number, work->room, &row->effects[i].kl, error));
    }
    return ETS_OK;
}

static double rank_of(const struct ets_layer_row *row)
{
    if (!isnan(row->present.kl)) return row->present.kl;
    return isnan(row->effects[0].kl) ? -1 : row->effects[0].kl;
}

static int compare_rows(const void *left, const void *right)
{
    const struct ets_layer_row *a = left, *b = right;
    const bool is_known = !isnan(a->present.kl);
    if (is_known != !isnan(b->present.kl)) return is_known ? -1 : 1;
    const double x = rank_of(a), y = rank_of(b);
    if (x != y) return x < y ? 1 : -1;
    if (is_known && a->effects[0].kl != b->effects[0].kl) {
        return a->effects[0].kl < b->effects[0].kl ? 1 : -1;
    }
    return a->layer < b->layer ? -1 : 1;
}

static uint32_t count_evaluations(const struct work *work)
{
    const struct ets_quality_layers *layers = &work->study->layers;
    uint32_t count = work->options->own != NULL ? 4 : 2;
    for (uint32_t i = 0; i < layers->count; i++) {
        count += work->options->own != NULL || layers->items[i].present != NULL;
        for (uint32_t k = 0; k < ETS_WEIGHT_FLOAT; k++) {
            count += ets_weight_scheme_fits(&ets_weight_schemes[k], layers->items[i].columns);
        }
    }
    return count;
}

static enum ets_status study(struct work *work, struct ets_error *error)
{
    ETS_TRY(find_layers(work, error));
    ETS_TRY(make_room(work, error));
    work->divergence = (struct ets_graph_divergence){.options = work->options,
                                                     .layers = &work->study->layers,
                                                     .use_double = work->study->layers.is_narrow,
                                                     .expected = count_evaluations(work)};
    ETS_TRY(ets_graph_divergence_begin(&work->divergence, work->arena, error));
    if (work->options->own != NULL) ETS_TRY(measure_graph(work, error));
    ETS_TRY(measure_weights(work, error));
    for (uint32_t i = 0; i < work->study->layers.count; i++) {
        ETS_TRY(measure_layer(work, i, error));
    }
    qsort(work->study->rows, work->study->layers.count, sizeof *work->study->rows, compare_rows);
    if (!isnan(work->options->wanted) && work->study->own_reason == NULL &&
        !isnan(work->study->own_kl)) {
        ETS_TRY(ets_scheme_search(&work->divergence, work->options->wanted, work->study,
                                  work->arena, error));
    }
    return ETS_OK;
}

enum ets_status ets_layer_study_run(const struct ets_layer_study_options *options,
                                    struct ets_arena *arena, struct ets_layer_study *study_out,
                                    struct ets_error *error)
{
    *study_out = (struct ets_layer_study){
        .weights_kl = NAN, .own_kl = NAN, .rest_kl = NAN, .changed_kl = NAN};
    struct work work = {.options = options, .study = study_out, .arena = arena};
    const enum ets_status status = study(&work, error);
    study_out->evaluations = work.divergence.evaluations;
    study_out->is_stopped = work.divergence.is_stopped;
    study_out->is_of_own |= work.divergence.is_of_own;
    return status;
}
