/*
 * The graphs of a record behind the interface of an engine: its methods are evaluated by the
 * reference, so that a generation runs on a record as it runs on a program.
 *
 *     const struct ets_graph_engine_options options = {.engine = engine, .record = record};
 *     struct ets_engine_program *program;
 *     if (ets_graph_engine_open(&options, &program, &error) == ETS_OK) {
 *         generation.engine = &ets_graph_engine;
 *         generation.program = program;
 *         ...
 *         ets_graph_engine_close(program);
 *     }
 *
 * Methods share the buffers of their names, which begin as the record has them. Only what a
 * generation needs is there: input_info, method_open, method_close, method_set_input,
 * method_execute, method_get_output. Everything in the options is borrowed until close. One thread
 * at a time.
 */
#ifndef ETSCOPE_QUALITY_GRAPH_ENGINE_H
#define ETSCOPE_QUALITY_GRAPH_ENGINE_H

#include "etscope/engine.h"
#include "etscope/etrecord.h"
#include "generate/recognize.h"
#include "reference/reference.h"

struct ets_graph_engine_options {
    const struct ets_engine *engine; /* has the kernels */
    struct ets_etrecord *record;
    const struct ets_reference_weight *weights; /* [weight_count] in place of the record's */
    uint32_t weight_count;
    int use_double;
    uint64_t memory_limit;            /* as of a reference */
    ets_reference_observer *observer; /* sees each value of a run; NULL: none */
    void *observer_context;
    /*
     * 1: output `logits` has a row for each token of a call, also where the graph makes only that
     * of the last one, if it takes it in a way that is known (graph_tail.h).
     */
    int gives_all;
    uint32_t logits;
};

extern const struct ets_engine ets_graph_engine;

/* Status: NO_MEMORY. */
enum ets_status ets_graph_engine_open(const struct ets_graph_engine_options *options,
                                      struct ets_engine_program **program_out,
                                      struct ets_error *error);
void ets_graph_engine_close(struct ets_engine_program *program); /* NULL is allowed */

/*
 * Sets `gives_all` of the methods of a model that have logits of each token with these options.
 * Statuses: those of opening the methods.
 */
enum ets_status ets_graph_engine_widen(const struct ets_graph_engine_options *options,
                                       struct ets_token_model *model, struct ets_error *error);

/*
 * The graph that a method's evaluation uses: the record's ATen program, if it has one and no other
 * method, else the method's edge program. `*fallback_out`: the edge program beside an ATen program;
 * or NULL. Statuses: NOT_FOUND, and those of the record's reader.
 */
enum ets_status ets_graph_of_method(struct ets_etrecord *record, const char *method,
                                    const struct ets_graph **graph_out,
                                    const struct ets_graph **fallback_out, struct ets_error *error);

#endif
