/* Two payloads of one delegate: which node is which, and what differs of a node. */
#ifndef ETSCOPE_CONTENTS_PAYLOAD_PAIR_H
#define ETSCOPE_CONTENTS_PAYLOAD_PAIR_H

#include <stdbool.h>

#include "payload/payload.h"

struct ets_payload_pair {
    const struct ets_payload_graph *sides[2];
    uint32_t delegates[2];
    uint32_t *partners; /* [node_count of the first]; UINT32_MAX: none */
};

/* Bits (ets_field_bit) of what differs between two nodes, besides the bytes of constants. */
uint64_t ets_payload_node_fields(const struct ets_payload_pair *pair,
                                 const struct ets_payload_node *const nodes[2]);
/* The same of a value that both take or make; bytes are not compared. */
uint64_t ets_payload_value_fields(const struct ets_payload_pair *pair, const uint32_t values[2]);

/* Whether a parameter is the same, besides the values in it. */
bool ets_payload_same_parameter(const struct ets_payload_parameter *before,
                                const struct ets_payload_parameter *after);
bool ets_payload_same_clamp(const struct ets_payload_node *before,
                            const struct ets_payload_node *after);

#endif
