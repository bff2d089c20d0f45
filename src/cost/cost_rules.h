/* The table of operators and the rules in it: how each family of cost.md's table is counted. */
#ifndef ETSCOPE_COST_COST_RULES_H
#define ETSCOPE_COST_COST_RULES_H

#include "cost/cost_call.h"

/* What a call moves. */
enum ets_cost_traffic {
    ETS_TRAFFIC_ALL,    /* every input, every output */
    ETS_TRAFFIC_PICK,   /* of its first input as much as it gives; other inputs; outputs */
    ETS_TRAFFIC_VIEW,   /* nothing: an alias. As a kernel, PICK */
    ETS_TRAFFIC_SLICE,  /* as PICK where it copies (a kernel, or a name with _copy), else nothing */
    ETS_TRAFFIC_WRITE,  /* outputs alone */
    ETS_TRAFFIC_NOTHING /* neither bytes nor arithmetic, or the rule counts bytes itself */
};

struct ets_cost_rule {
    const char *name; /* base name: "permute" */
    enum ets_cost_family family;
    enum ets_cost_traffic traffic;
    uint8_t ops, special; /* for each element of the first output */
    uint8_t input_ops;    /* for each element of the first input */
    /* What is beyond these; NULL: nothing. NO_SHAPE where an argument is missing. */
    enum ets_cost_reason (*count)(const struct ets_cost_call *call, struct ets_cost *cost);
};

/* By its base name; NULL: none. */
const struct ets_cost_rule *ets_cost_rule_find(struct ets_text base);

/* The argument at `position` of the schema, named `label`; NULL: left out, so that it has its
 * default. */
const struct ets_cost_argument *ets_cost_argument(const struct ets_cost_call *call,
                                                  uint32_t position, const char *label);
/* The tensor there, the first of a list; NULL: none. */
const struct ets_cost_tensor *ets_cost_tensor_at(const struct ets_cost_call *call,
                                                 uint32_t position, const char *label);
/* The integer there, or `otherwise`. */
int64_t ets_cost_integer_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                            int64_t otherwise);
double ets_cost_real_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                        double otherwise);
/* The size of a dimension, negative ones counted from the end; 0: there is none, or not known. */
uint64_t ets_cost_size(const struct ets_cost_tensor *tensor, int64_t dimension);

/* product_rules.c */
enum ets_cost_reason ets_count_linear(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_product(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_addmm(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_convolution(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_conv(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_library_conv(const struct ets_cost_call *call,
                                            struct ets_cost *cost);
enum ets_cost_reason ets_count_conv_transpose(const struct ets_cost_call *call,
                                              struct ets_cost *cost);
enum ets_cost_reason ets_count_attention(const struct ets_cost_call *call, struct ets_cost *cost);
/* `rows` queries of `depth` with `keys` keys, whose values have `width`. */
enum ets_cost_reason ets_count_scores(uint64_t rows, uint64_t depth, uint64_t keys, uint64_t width,
                                      bool has_mask, struct ets_cost *cost);
enum ets_cost_reason ets_count_lstm(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_gru(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_distances(const struct ets_cost_call *call, struct ets_cost *cost);

/* cache_rules.c: those of namespace llama */
enum ets_cost_reason ets_count_cache_attention(const struct ets_cost_call *call,
                                               struct ets_cost *cost);
enum ets_cost_reason ets_count_cache_update(const struct ets_cost_call *call,
                                            struct ets_cost *cost);
enum ets_cost_reason ets_count_hadamard(const struct ets_cost_call *call, struct ets_cost *cost);

/* element_rules.c */
enum ets_cost_reason ets_count_scaled_add(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_power(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_gelu(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_cast(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_in_place(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_added(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_byte_embedding(const struct ets_cost_call *call,
                                              struct ets_cost *cost);
enum ets_cost_reason ets_count_log_softmax(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_row_norm(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_group_norm(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_channel_norm(const struct ets_cost_call *call,
                                            struct ets_cost *cost);
enum ets_cost_reason ets_count_max_pool(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_avg_pool(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_topk(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_sort(const struct ets_cost_call *call, struct ets_cost *cost);
enum ets_cost_reason ets_count_root(const struct ets_cost_call *call, struct ets_cost *cost);

#endif
