/*
 * What each layer's quantization adds to the divergence of a language model, and what another
 * scheme would: each layer's rounded weight is put into the float graph alone, and the graph is
 * evaluated over the tokens.
 *
 *     const struct ets_layer_study_options options = {.engine = engine, .reference = float_record,
 *                                                     .own = record, .model = &model, ...};
 *     struct ets_layer_study study;
 *     if (ets_layer_study_run(&options, &arena, &study, &error) == ETS_OK) {
 *         const struct ets_layer_row *row = &study.rows[0];
 *         printf("%.*s adds most: %g\n", ETS_TEXT(row->layer->name), row->present.kl);
 *     }
 *
 * Divergences are means over the tokens, (float graph || changed graph) in nats. NaN: not known.
 */
#ifndef ETSCOPE_QUALITY_LAYER_STUDY_H
#define ETSCOPE_QUALITY_LAYER_STUDY_H

#include "etscope/engine.h"
#include "generate/recognize.h"
#include "quality/quality_layers.h"

struct ets_layer_study_options {
    const struct ets_engine *engine;   /* has the kernels */
    struct ets_etrecord *reference;    /* in floating point */
    struct ets_etrecord *own;          /* of the quantized model; NULL: none */
    const struct ets_program *program; /* the quantized model; NULL: only `own` tells its weights */
    const struct ets_token_model *model;
    const int64_t *tokens; /* [count], at least 2 */
    uint32_t count;
    uint64_t memory_limit; /* of one evaluation; as of a reference */
    uint64_t (*now_ns)(void);
    double wanted; /* divergence of the quantized model; NaN: no changes are looked for */
    /* Asked before each evaluation; true ends the study. NULL: never. */
    bool (*is_stopped)(void *context, uint32_t done, uint32_t expected);
    void *stop_context;
};

struct ets_layer_effect {
    double kl;      /* NaN: the scheme does not fit the layer, or is not known */
    uint64_t bytes; /* of the weight; 0 likewise */
};

struct ets_layer_row {
    const struct ets_quality_layer *layer;
    struct ets_layer_effect present;                     /* as the quantized model has it */
    struct ets_layer_effect effects[ETS_WEIGHT_SCHEMES]; /* as ets_weight_schemes */
};

/* A layer in another scheme than the quantized model's. */
struct ets_layer_change {
    uint32_t row, scheme; /* of ets_weight_schemes */
};

struct ets_layer_study {
    struct ets_quality_layers layers;
    struct ets_layer_row *rows; /* [layers.count] the largest present divergence first; without
                                   one, that of the smallest scheme */
    uint32_t known_count;       /* layers whose present weights are known */
    double weights_kl;          /* all of them in the float graph; NaN: not known */
    double own_kl;              /* the quantized record's graph as it is; NaN: not known */
    const char *own_reason; /* why this graph cannot be evaluated, or not with other weights; else
                               NULL */
    double rest_kl;         /* that graph with the float weights: all but weights; NaN likewise */
    bool has_other_scales;  /* than ets_weight_scheme_round gives: a present weight differs */
    struct ets_layer_change *changes; /* [change_count] that reach the wanted divergence */
    uint32_t change_count;
    double changed_kl; /* of the quantized graph with the changes, evaluated; NaN: not looked for */
    int64_t added_bytes;  /* by the changes */
    bool is_reached;      /* `changed_kl` is not above the wanted one */
    uint32_t evaluations; /* of all tokens */
    bool is_of_own;       /* an error is of the quantized record, not of the float one */
    bool is_stopped;      /* the study ended early: only what is not NaN is known */
};

/*
 * Statuses: NOT_FOUND (no weights, no layers), MISMATCH (the graphs differ from what the model
 * takes and gives), UNSUPPORTED (an operator that the reference does not know), RUNTIME, LIMIT,
 * NO_MEMORY.
 */
enum ets_status ets_layer_study_run(const struct ets_layer_study_options *options,
                                    struct ets_arena *arena, struct ets_layer_study *study_out,
                                    struct ets_error *error);

#endif
