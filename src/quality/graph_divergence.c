/* Evaluates graphs with other weights in place of their own, and compares their logits. */
#include "quality/graph_divergence.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "generate/generation.h"
#include "quality/graph_engine.h"

/* One evaluation. */
struct evaluation {
    struct ets_graph_divergence *divergence;
    const float *const *numbers; /* [layers.count]; NULL: all are their own */
    bool is_own;
    struct ets_arena *kept; /* for numbers that outlive it; NULL: none do */
    struct ets_arena arena; /* of the evaluation */
    struct ets_reference_weight *weights;
    uint32_t weight_count;
    uint32_t used; /* tokens that embeddings have seen */
};

static struct ets_tensor tensor_of(const struct ets_quality_layer *layer, const float *numbers)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 2,
                                .sizes = {(int64_t)layer->rows, (int64_t)layer->columns},
                                .data = numbers};
    ets_tensor_set_contiguous(&tensor);
    tensor.data_bytes = (size_t)ets_tensor_count(&tensor) * sizeof *numbers;
    return tensor;
}

/* Weights that are parameters of the graph. */
static enum ets_status list_weights(struct evaluation *e, struct ets_error *error)
{
    const struct ets_quality_layers *layers = e->divergence->layers;
    e->weights = ets_arena_alloc_array(&e->arena, layers->count, sizeof *e->weights);
    if (e->weights == NULL) return ets_fail_memory(error, "the weights");
    for (uint32_t i = 0; i < layers->count && e->numbers != NULL; i++) {
        const struct ets_quality_layer *layer = &layers->items[i];
        const struct ets_text source = e->is_own ? layer->origin.source : layer->source;
        if (e->numbers[i] == NULL || source.data == NULL) continue;
        e->weights[e->weight_count++] =
            (struct ets_reference_weight){source, tensor_of(layer, e->numbers[i])};
    }
    return ETS_OK;
}

static bool has_shape(const struct ets_tensor *tensor, const struct ets_quality_layer *layer)
{
    return tensor->rank == 2 && (uint64_t)tensor->sizes[0] == layer->rows &&
           (uint64_t)tensor->sizes[1] == layer->columns;
}

/* The rows of a table for the tokens of this call. */
static enum ets_status look_up(struct evaluation *e, const struct ets_quality_layer *layer,
                               const float *numbers, const struct ets_tensor *value,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    const struct ets_layer_study_options *options = e->divergence->options;
    const uint64_t count = ets_tensor_count(value) / layer->columns;
    if (ets_tensor_count(value) % layer->columns != 0) return ETS_OK;
    const uint32_t first = options->model->has_cache ? e->used : 0;
    if (first + count > options->count) return ETS_OK; /* not of the tokens */
    const size_t bytes = (size_t)layer->columns * sizeof(float);
    float *rows = ets_arena_alloc_array(&e->arena, (size_t)count, bytes);
    if (rows == NULL) return ets_fail_memory(error, "rows of a table");
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t token = (uint64_t)options->tokens[first + i];
        if (token >= layer->rows) return ETS_OK;
        memcpy(rows + i * layer->columns, numbers + token * layer->columns, bytes);
    }
    struct ets_tensor *tensor = &replacement_out->as.tensor;
    replacement_out->kind = ETS_VALUE_TENSOR;
    *tensor = *value;
    tensor->scalar_type = ETS_SCALAR_FLOAT;
    ets_tensor_set_contiguous(tensor);
    tensor->data = rows;
    tensor->data_bytes = (size_t)count * bytes;
    return ETS_OK;
}

static enum ets_status see_layer(struct evaluation *e, uint32_t number,
                                 const struct ets_tensor *value, struct ets_value *replacement_out,
                                 struct ets_error *error)
{
    struct ets_quality_layer *layer = &e->divergence->layers->items[number];
    const float *numbers = e->numbers != NULL ? e->numbers[number] : NULL;
    if (layer->origin.is_lookup) {
        if (numbers != NULL) {
            ETS_TRY(look_up(e, layer, numbers, value, replacement_out, error));
        }
        e->used += (uint32_t)(ets_tensor_count(value) / layer->columns);
        return ETS_OK;
    }
    if (!has_shape(value, layer)) return ETS_OK;
    if (layer->present == NULL && e->kept != NULL) {
        layer->present = ets_quality_numbers(value, e->kept);
        if (layer->present == NULL) return ets_fail_memory(error, "the weights");
    }
    if (numbers == NULL) return ETS_OK;
    replacement_out->kind = ETS_VALUE_TENSOR;
    replacement_out->as.tensor = tensor_of(layer, numbers);
    return ETS_OK;
}

static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    struct evaluation *e = context;
    const struct ets_quality_layers *layers = e->divergence->layers;
    const uintptr_t first = (uintptr_t)layers->own->nodes, node = (uintptr_t)result->node;
    const uintptr_t number = (node - first) / sizeof *result->node;
    if (result->value.kind != ETS_VALUE_TENSOR || node < first ||
        number >= layers->own->node_count || layers->at_node[number] == 0) {
        return ETS_OK; /* also nodes of subgraphs */
    }
    return see_layer(e, layers->at_node[number] - 1, &result->value.as.tensor, replacement_out,
                     error);
}

static struct ets_graph_engine_options graphs_of(const struct ets_graph_divergence *divergence,
                                                 bool is_own)
{
    const struct ets_layer_study_options *options = divergence->options;
    return (struct ets_graph_engine_options){.engine = options->engine,
                                             .record = is_own ? options->own : options->reference,
                                             .use_double = divergence->use_double,
                                             .memory_limit = options->memory_limit,
                                             .gives_all = 1,
                                             .logits = options->model->prefill.logits};
}

static enum ets_status run(struct evaluation *e, ets_generation_logits_function *logits,
                           struct ets_error *error)
{
    struct ets_graph_divergence *divergence = e->divergence;
    const struct ets_layer_study_options *options = divergence->options;
    struct ets_graph_engine_options graphs = graphs_of(divergence, e->is_own);
    const struct ets_token_model *model = &divergence->models[e->is_own];
    graphs.weights = e->weights;
    graphs.weight_count = e->weight_count;
    graphs.observer = e->is_own ? observe : NULL;
    graphs.observer_context = e;
    graphs.gives_all = model->prefill.gives_all;
    struct ets_generation_options how = {.engine = &ets_graph_engine,
                                         .model = model,
                                         .now_ns = options->now_ns,
                                         .tokens = options->tokens,
                                         .prompt_count = options->count,
                                         .logits = logits,
                                         .logits_context = &divergence->runs};
    struct ets_generation generation;
    ETS_TRY(ets_graph_engine_open(&graphs, &how.program, error));
    const enum ets_status status = ets_generation_run(&how, &e->arena, &generation, error);
    ets_graph_engine_close(how.program);
    return status;
}

static bool stops(struct ets_graph_divergence *divergence)
{
    const struct ets_layer_study_options *options = divergence->options;
    if (divergence->is_stopped || options->is_stopped == NULL) return divergence->is_stopped;
    divergence->is_stopped =
        options->is_stopped(options->stop_context, divergence->evaluations, divergence->expected);
    return divergence->is_stopped;
}

static enum ets_status evaluate(struct evaluation *e, ets_generation_logits_function *logits,
                                struct ets_error *error)
{
    ets_arena_init(&e->arena, NULL, 0);
    enum ets_status status = list_weights(e, error);
    if (status == ETS_OK) status = run(e, logits, error);
    ets_arena_reset(&e->arena);
    e->divergence->evaluations++;
    return status;
}

enum ets_status ets_graph_divergence_begin(struct ets_graph_divergence *divergence,
                                           struct ets_arena *arena, struct ets_error *error)
{
    const struct ets_layer_study_options *options = divergence->options;
    struct evaluation e = {.divergence = divergence};
    for (int i = 0; i < 2; i++) {
        const struct ets_graph_engine_options graphs = graphs_of(divergence, i == 1);
        divergence->models[i] = *options->model;
        if (graphs.record == NULL) continue;
        divergence->is_of_own = i == 1;
        ETS_TRY(ets_graph_engine_widen(&graphs, &divergence->models[i], error));
    }
    divergence->is_of_own = false;
    ETS_TRY(ets_quality_runs_init(&divergence->runs, options->tokens, options->count,
                                  options->model->vocabulary, arena, error));
    return stops(divergence) ? ETS_OK : evaluate(&e, ets_quality_keep, error);
}

static enum ets_status compare(struct evaluation *e, double *kl_out, struct ets_error *error)
{
    struct ets_graph_divergence *divergence = e->divergence;
    *kl_out = NAN;
    if (stops(divergence)) return ETS_OK;
    ETS_TRY(evaluate(e, ets_quality_score, error));
    ets_quality_sum_up(&divergence->runs.result);
    *kl_out = divergence->runs.result.kl;
    return ETS_OK;
}

enum ets_status ets_graph_divergence_of_reference(struct ets_graph_divergence *divergence,
                                                  const float *const *numbers, double *kl_out,
                                                  struct ets_error *error)
{
    struct evaluation e = {.divergence = divergence, .numbers = numbers};
    return compare(&e, kl_out, error);
}

enum ets_status ets_graph_divergence_of_own(struct ets_graph_divergence *divergence,
                                            const float *const *numbers, struct ets_arena *arena,
                                            double *kl_out, struct ets_error *error)
{
    struct evaluation e = {
        .divergence = divergence, .numbers = numbers, .is_own = true, .kept = arena};
    return compare(&e, kl_out, error);
}
