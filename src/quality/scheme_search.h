/* Looks for the changes of schemes that bring a quantized model to a wanted divergence. */
#ifndef ETSCOPE_QUALITY_SCHEME_SEARCH_H
#define ETSCOPE_QUALITY_SCHEME_SEARCH_H

#include "quality/graph_divergence.h"
#include "quality/layer_study.h"

/*
 * Changes the layer that gains most divergence for each byte, again and again, until the evaluated
 * quantized graph reaches `wanted`; then takes back, from the largest on, what is not needed. Fills
 * the study's changes. Statuses as those of ets_layer_study_run.
 */
enum ets_status ets_scheme_search(struct ets_graph_divergence *divergence, double wanted,
                                  struct ets_layer_study *study, struct ets_arena *arena,
                                  struct ets_error *error);

#endif
