/*
 * How far the next-token distributions of a model are from those of a reference, token by token.
 *
 *     struct ets_quality_token token = {.position = 1, .token = 17};
 *     if (ets_quality_compare(reference_logits, logits, vocabulary, &token, &error) == ETS_OK) {
 *         printf("KL %g nats\n", token.kl);
 *     }
 *
 * Probabilities are those of a softmax over the logits, computed in float64; logarithms are
 * natural.
 */
#ifndef ETSCOPE_GENERATE_QUALITY_H
#define ETSCOPE_GENERATE_QUALITY_H

#include <stdbool.h>

#include "etscope/tensor.h"
#include "host/arena.h"

enum {
    ETS_QUALITY_BEST = 5
}; /* of the reference, among which a model's best token is looked for */

/* A token of the text, predicted from those before it. */
struct ets_quality_token {
    uint32_t position;            /* in the text, from 1 on */
    int64_t token;                /* of the text */
    int64_t best, reference_best; /* the most likely token; the first of equal ones */
    bool is_same;                 /* both are the same */
    bool is_near;                 /* `best` is among the five best of the reference */
    double kl;                    /* divergence (reference || model) in nats; may be infinite */
    double log_probability, reference_log_probability; /* of `token`; may be -infinity */
};

struct ets_quality {
    struct ets_quality_token *tokens; /* [count] by position */
    uint32_t count;
    double kl;                 /* mean */
    double kl_lower, kl_upper; /* its 95 % interval (Student's t), the positions taken as
                                  independent; NaN: of one position, or not finite */
    double perplexity, reference_perplexity;
    uint32_t same_count, near_count; /* `is_same`, `is_near` */
    uint32_t worst;                  /* index of the largest divergence, the first of equal ones */
    uint32_t first_other;            /* index of the first other best token; `count`: none */
};

/*
 * Fills all but `position` and `token`, which is in the vocabulary. Status: RUNTIME (NaN or
 * infinity among the logits, or only -infinity).
 */
enum ets_status ets_quality_compare(const float *reference, const float *model, uint32_t vocabulary,
                                    struct ets_quality_token *token, struct ets_error *error);

/* Computes all but `tokens` and `count`, which is at least 1. */
void ets_quality_sum_up(struct ets_quality *quality);

/* Logits of a text of `count` tokens by two programs, which run one after the other. */
struct ets_quality_runs {
    const int64_t *tokens; /* [count], at least 2 */
    uint32_t count, vocabulary;
    float *reference;          /* [count - 1][vocabulary] */
    float *row;                /* [vocabulary] */
    struct ets_quality result; /* complete after the second run, but for the sums */
};

/* Makes room in `arena`. Status: NO_MEMORY. */
enum ets_status ets_quality_runs_init(struct ets_quality_runs *runs, const int64_t *tokens,
                                      uint32_t count, uint32_t vocabulary, struct ets_arena *arena,
                                      struct ets_error *error);

/*
 * For ets_generation_options.logits of the first run, which keeps them, and of the second, which is
 * compared; `context` is the runs. Statuses: MISMATCH (another size), UNSUPPORTED, RUNTIME.
 */
enum ets_status ets_quality_keep(void *context, uint32_t position, const struct ets_tensor *logits,
                                 uint32_t row, uint32_t rows, struct ets_error *error);
enum ets_status ets_quality_score(void *context, uint32_t position, const struct ets_tensor *logits,
                                  uint32_t row, uint32_t rows, struct ets_error *error);

#endif
