/* attention.h - what the expressions of attention share. */
#ifndef ETSCOPE_REFERENCE_ATTENTION_H
#define ETSCOPE_REFERENCE_ATTENTION_H

#include "reference/expressions.h"

/* Queries, keys and values as [..., heads, positions, numbers of a head]. */
struct reference_attention {
    struct reference_value query, key, value;
    struct reference_value mask; /* NOTHING; or of bools, true where a query sees a key, or numbers
                                    that are added to the scores */
    double scale;
    bool blind_is_zero; /* a query that sees no key gets 0; else NaN */
};

/* The scale of attention that is given none: 1 / sqrt of the numbers of a head. */
double ets_reference_attention_scale(const struct reference_value *scale,
                                     const struct ets_tensor *query);

/* Repeats keys or values with fewer heads than the query. MISMATCH. */
enum ets_status ets_reference_spread_heads(struct reference_frame *frame,
                                           const struct reference_value *query,
                                           struct reference_value *value);

/* The mask of `rows` queries and `columns` keys by which query i sees keys 0 to `first` + i. */
enum ets_status ets_reference_causal_mask(struct reference_frame *frame, int64_t first,
                                          int64_t rows, int64_t columns,
                                          struct reference_value *mask_out);

/* softmax(query * key^T * scale + mask) * value */
enum ets_status ets_reference_attend(struct reference_frame *frame,
                                     const struct reference_attention *attention,
                                     struct reference_value *result_out);

#endif
