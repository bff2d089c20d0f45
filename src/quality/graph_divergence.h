/* The divergence of a changed graph from the float graph, over the tokens of a text. */
#ifndef ETSCOPE_QUALITY_GRAPH_DIVERGENCE_H
#define ETSCOPE_QUALITY_GRAPH_DIVERGENCE_H

#include "generate/quality.h"
#include "quality/layer_study.h"

struct ets_graph_divergence {
    const struct ets_layer_study_options *options;
    struct ets_quality_layers *layers;
    int use_double;
    struct ets_token_model models[2]; /* of the float graph, and of the quantized one: with logits
                                         of all tokens of a call where that is possible */
    bool is_of_own;                   /* an error is of the quantized record */
    struct ets_quality_runs runs;     /* with the logits of the float graph */
    uint32_t evaluations, expected;
    bool is_stopped;
};

/* Evaluates the float graph. Statuses as those of ets_layer_study_run. */
enum ets_status ets_graph_divergence_begin(struct ets_graph_divergence *divergence,
                                           struct ets_arena *arena, struct ets_error *error);

/*
 * The float graph with other weights: `numbers[i]` of layer i; NULL: its own. NaN if it was
 * stopped. Statuses likewise.
 */
enum ets_status ets_graph_divergence_of_reference(struct ets_graph_divergence *divergence,
                                                  const float *const *numbers, double *kl_out,
                                                  struct ets_error *error);

/*
 * The quantized record's graph, likewise; layers that it has nowhere keep their own. Takes the
 * layers' `present` numbers, where they are not known, from what the graph computes.
 */
enum ets_status ets_graph_divergence_of_own(struct ets_graph_divergence *divergence,
                                            const float *const *numbers, struct ets_arena *arena,
                                            double *kl_out, struct ets_error *error);

#endif
