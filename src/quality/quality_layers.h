/*
 * The layers of a language model: the products with a weight and the embeddings of a float graph,
 * and what a quantized record of the same model has in their places.
 *
 * A layer is a weight: a parameter of two dimensions that a product or an embedding takes, through
 * views and casts at most. Layers of two records are the same if their modules have the same path,
 * and the same number among the weights of this module.
 */
#ifndef ETSCOPE_QUALITY_QUALITY_LAYERS_H
#define ETSCOPE_QUALITY_QUALITY_LAYERS_H

#include "etscope/etrecord.h"
#include "host/arena.h"
#include "host/strings.h"
#include "quality/weight_schemes.h"
#include "reference/reference.h"

/* Where a quantized record computes a weight. */
struct ets_quality_origin {
    const struct ets_graph_node *node; /* that dequantizes; NULL: nowhere, it is a parameter */
    struct ets_text source;            /* the parameter, if `node` is NULL */
    bool is_lookup;                    /* the node dequantizes only the rows that tokens ask for */
};

struct ets_quality_layer {
    struct ets_text name;   /* "layers.0.feed_forward.w2" */
    struct ets_text source; /* the parameter, "layers.0.feed_forward.w2.weight" */
    bool is_embedding;
    uint64_t rows, columns;
    float *numbers; /* [rows][columns] of the float record */
    /* Of the quantized record: */
    struct ets_quality_origin origin;
    struct ets_weight_scheme scheme; /* bits 0: not known */
    float *present;                  /* [rows][columns]; NULL: not known */
};

struct ets_quality_layers {
    struct ets_quality_layer *items;
    uint32_t count;
    bool is_narrow;              /* a weight is not in float32 */
    const struct ets_graph *own; /* of the quantized record; NULL: not joined */
    uint32_t *at_node;       /* [own->node_count] 1 + the layer whose origin the node is; 0: none */
    struct ets_strings keys; /* module and number of each layer, from 1 on */
};

enum { ETS_QUALITY_MOST_LAYERS = 4096 };

/* Finds the layers of a graph of `record`. Statuses: NO_MEMORY, LIMIT, those of the reader. */
enum ets_status ets_quality_layers_find(struct ets_etrecord *record, const struct ets_graph *graph,
                                        struct ets_arena *arena,
                                        struct ets_quality_layers *layers_out,
                                        struct ets_error *error);

/*
 * Finds the same layers in a graph of the quantized record: where they are computed, and their
 * schemes; fills `present` of those that are parameters or tables, unless it is known. Statuses:
 * likewise.
 */
enum ets_status ets_quality_layers_join(struct ets_quality_layers *layers,
                                        struct ets_etrecord *record, const struct ets_graph *graph,
                                        struct ets_arena *arena, struct ets_error *error);

/* Copies numbers into [rows][columns] floats of the arena; NULL: another shape, no numbers, or no
 * memory. */
float *ets_quality_numbers(const struct ets_tensor *tensor, struct ets_arena *arena);

#endif
