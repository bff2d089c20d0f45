/* Tokens in and out: integers into a tensor's bytes, the largest logit out of a tensor. */
#ifndef ETSCOPE_GENERATE_GREEDY_H
#define ETSCOPE_GENERATE_GREEDY_H

#include "etscope/tensor.h"

/* Writes element `index` of int32 or int64 elements at `bytes`. */
void ets_put_integer(uint8_t *bytes, int scalar_type, uint32_t index, int64_t value);

/*
 * Row `row` of logits that have `rows`: the first element, and how many there are. Statuses:
 * MISMATCH (other sizes), UNSUPPORTED.
 */
enum ets_status ets_logits_row(const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                               const uint8_t **first_out, uint32_t *vocabulary_out,
                               struct ets_error *error);

/*
 * The index of the largest number of row `row` of `rows`; the first of equal ones. Statuses:
 * MISMATCH (other sizes), RUNTIME (a NaN among them, or only -infinity), UNSUPPORTED.
 */
enum ets_status ets_greedy_token(const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                                 int64_t *token_out, struct ets_error *error);

#endif
