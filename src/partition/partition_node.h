/* A node under judgement, and what rules ask of it and of the graph around it. */
#ifndef ETSCOPE_PARTITION_PARTITION_NODE_H
#define ETSCOPE_PARTITION_PARTITION_NODE_H

#include "host/text_builder.h"
#include "partition/outside.h"

struct ets_partition {
    const struct ets_graph *graph;
    const struct ets_asked *asked;
    const struct ets_graph_node **makers;  /* [value] NULL: an input of the graph, or no node */
    const struct ets_graph_input **inputs; /* [value] NULL: not an input */
    const struct ets_graph_node **users;   /* [value] the first node that takes it */
    uint32_t *use_counts;                  /* [value] by nodes and as outputs of the graph */
};

/* A verdict in the making. Several conditions may fail; all of them are told. */
struct ets_judgement {
    const struct ets_partition *partition;
    const struct ets_graph_node *node;
    struct ets_text_builder reason;
    const char *rule;   /* of the first condition that failed; NULL: none */
    const char *remedy; /* likewise */
};

/* Adds a condition that failed: "; " goes before all but the first. */
void ets_refuse(struct ets_judgement *judgement, const char *rule, const char *remedy,
                const char *format, ...) ETS_PRINTF(4, 5);

/* The argument of this label, or NULL: the schema's default holds. */
const struct ets_graph_argument *ets_node_argument(const struct ets_graph_node *node,
                                                   const char *label);
/* A number or truth value of an argument; `otherwise` where it is absent or something else. */
int64_t ets_node_integer(const struct ets_graph_node *node, const char *label, int64_t otherwise);

/* Index of a value in the graph; ETS_GRAPH_NONE: not there. */
uint32_t ets_partition_value(const struct ets_partition *partition, struct ets_text name);

/* The tensor of an argument or output, or NULL. */
const struct ets_graph_value *ets_argument_tensor(const struct ets_judgement *judgement,
                                                  const struct ets_graph_argument *argument);
const struct ets_graph_value *ets_node_tensor(const struct ets_judgement *judgement,
                                              const char *label);
const struct ets_graph_value *ets_node_output(const struct ets_judgement *judgement,
                                              uint32_t index);

/* The node that makes the tensor of an argument, or NULL. */
const struct ets_graph_node *ets_argument_maker(const struct ets_judgement *judgement,
                                                const struct ets_graph_argument *argument);

/* How many nodes and outputs of the graph use output `index`. */
uint32_t ets_node_output_uses(const struct ets_judgement *judgement, uint32_t index);

/* Whether the values that a dimension takes differ between runs. */
bool ets_is_dynamic(const struct ets_graph_value *value, uint32_t dimension);

/*
 * Whether the tensor of an argument is a weight: a parameter, buffer or constant, as it is or
 * dequantized, permuted or viewed.
 */
bool ets_is_static(const struct ets_judgement *judgement,
                   const struct ets_graph_argument *argument);

#endif
