/*
 * The nodes that read a graph's parameters: for payloads that keep names of weights where those of
 * nodes were lost.
 */
#ifndef ETSCOPE_RECORD_PARAMETER_READERS_H
#define ETSCOPE_RECORD_PARAMETER_READERS_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "host/strings.h"

struct ets_parameter_readers {
    /* Of parameters, buffers and constants of the top graph, and what the model calls them. */
    struct ets_strings names;
    int64_t *handles; /* by number: 0: nobody reads it; -1: nodes of several handles do */
};

/* Borrows the graph's names. false: no memory. */
bool ets_parameter_readers_build(struct ets_parameter_readers *readers, struct ets_arena *arena,
                                 const struct ets_graph *graph);

/* The handle of the nodes that read the parameter "p_fc1_weight", or as the model calls it
 * "fc1.weight", if they share one; else -1. */
int64_t ets_parameter_readers_find(const struct ets_parameter_readers *readers,
                                   struct ets_text parameter);

#endif
