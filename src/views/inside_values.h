/*
 * The values within a program's delegates: what makes each, where that is in the model, and whether
 * it can be had.
 *
 *     struct ets_inside_values values;
 *     ETS_TRY(ets_inside_values_collect(&arena, &taps, delegations, record, &values, error));
 *     for (uint32_t i = 0; i < values.count; i++) show(&values.items[i]);
 */
#ifndef ETSCOPE_VIEWS_INSIDE_VALUES_H
#define ETSCOPE_VIEWS_INSIDE_VALUES_H

#include "etscope/experimental/delegates.h"
#include "rewrite/taps.h"

struct ets_inside_value {
    struct ets_tap *tap;
    const char *method;
    struct ets_text name; /* "0:12": of the delegate, and as its payload calls it */
    const struct ets_payload_value *value;
    const struct ets_payload_node *maker;
    const struct ets_graph_node *node; /* of the record; NULL: not known */
    struct ets_text source, module;    /* absent: not known */
    int64_t dims[8];                   /* [rank] as the record has them */
    uint32_t rank;
    const char *state; /* "yes", or why it cannot be had */
};

struct ets_inside_values {
    struct ets_inside_value *items; /* those that operators make */
    uint32_t count, possible, fused;
    uint64_t possible_bytes;
};

/* `delegations` and `record`: of the program, for names; NULL: none. Statuses: NO_MEMORY, and those
 * of reading the record's graph. */
enum ets_status ets_inside_values_collect(
    struct ets_arena *arena, const struct ets_program *program, const struct ets_taps *taps,
    const struct ets_delegation *delegations, struct ets_etrecord *record,
    struct ets_inside_values *values_out, struct ets_error *error);

#endif
