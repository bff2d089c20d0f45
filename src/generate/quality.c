/* Compares logits: KL divergence, best tokens, log probabilities. */
#include "generate/quality.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "generate/greedy.h"
#include "generate/token_times.h"
#include "numerics/element.h"

/* Logits with what makes log probabilities of them. */
struct distribution {
    const float *logits;
    uint32_t vocabulary, best;
    double log_sum; /* of their exponentials */
};

static enum ets_status open_distribution(const float *logits, uint32_t vocabulary,
                                         struct distribution *out, struct ets_error *error)
{
    *out = (struct distribution){.logits = logits, .vocabulary = vocabulary};
    for (uint32_t i = 0; i < vocabulary; i++) {
        if (isnan(logits[i]) || logits[i] == INFINITY) {
            return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET, "logit %u is %s", i,
                            isnan(logits[i]) ? "NaN" : "infinite");
        }
        if (logits[i] > logits[out->best]) out->best = i;
    }
    const double most = logits[out->best];
    if (!isfinite(most)) {
        return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET, "all logits are -infinity");
    }
    double sum = 0;
    for (uint32_t i = 0; i < vocabulary; i++) sum += exp(logits[i] - most);
    out->log_sum = most + log(sum);
    return ETS_OK;
}

static double log_of(const struct distribution *distribution, uint32_t token)
{
    return distribution->logits[token] - distribution->log_sum;
}

/* What the reference rules out adds nothing; what the model alone rules out makes it infinite. */
static double divergence(const struct distribution *reference, const struct distribution *model)
{
    double sum = 0;
    for (uint32_t i = 0; i < reference->vocabulary; i++) {
        const double of_reference = log_of(reference, i);
        const double probability = exp(of_reference);
        if (probability > 0) sum += probability * (of_reference - log_of(model, i));
    }
    return sum > 0 ? sum : 0; /* rounding can give less */
}

/* How many tokens are better than `token`: larger, or as large and before it. */
static uint32_t rank_of(const struct distribution *distribution, uint32_t token)
{
    const float own = distribution->logits[token];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < distribution->vocabulary; i++) {
        rank += distribution->logits[i] > own || (distribution->logits[i] == own && i < token);
    }
    return rank;
}

enum ets_status ets_quality_compare(const float *reference, const float *model, uint32_t vocabulary,
                                    struct ets_quality_token *token, struct ets_error *error)
{
    struct distribution right, given;
    ETS_TRY(open_distribution(reference, vocabulary, &right, error));
    ETS_TRY(open_distribution(model, vocabulary, &given, error));
    token->best = given.best;
    token->reference_best = right.best;
    token->is_same = given.best == right.best;
    token->is_near = rank_of(&right, given.best) < ETS_QUALITY_BEST;
    token->kl = divergence(&right, &given);
    token->log_probability = log_of(&given, (uint32_t)token->token);
    token->reference_log_probability = log_of(&right, (uint32_t)token->token);
    return ETS_OK;
}

static void find_interval(struct ets_quality *quality)
{
    const uint32_t count = quality->count;
    double squares = 0;
    quality->kl_lower = quality->kl_upper = NAN;
    if (count < 2 || !isfinite(quality->kl)) return;
    for (uint32_t i = 0; i < count; i++) {
        const double apart = quality->tokens[i].kl - quality->kl;
        squares += apart * apart;
    }
    const struct ets_ranged range =
        ets_mean_interval(quality->kl, sqrt(squares / (count - 1)), count);
    quality->kl_lower = range.low > 0 ? range.low : 0;
    quality->kl_upper = range.high;
}

void ets_quality_sum_up(struct ets_quality *quality)
{
    double kl = 0, of_model = 0, of_reference = 0;
    const uint32_t count = quality->count;
    quality->same_count = quality->near_count = quality->worst = 0;
    quality->first_other = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_quality_token *token = &quality->tokens[i];
        kl += token->kl;
        of_model += token->log_probability;
        of_reference += token->reference_log_probability;
        quality->same_count += token->is_same;
        quality->near_count += token->is_near;
        if (token->kl > quality->tokens[quality->worst].kl) quality->worst = i;
        if (!token->is_same && quality->first_other == count) quality->first_other = i;
    }
    quality->kl = kl / count;
    find_interval(quality);
    quality->perplexity = exp(-of_model / count);
    quality->reference_perplexity = exp(-of_reference / count);
}

enum ets_status ets_quality_runs_init(struct ets_quality_runs *runs, const int64_t *tokens,
                                      uint32_t count, uint32_t vocabulary, struct ets_arena *arena,
                                      struct ets_error *error)
{
    const size_t row_bytes = (size_t)vocabulary * sizeof(float);
    *runs = (struct ets_quality_runs){
        .tokens = tokens, .count = count, .vocabulary = vocabulary, .result.count = count - 1};
    runs->reference = ets_arena_alloc_array(arena, count - 1, row_bytes);
    runs->row = ets_arena_alloc(arena, row_bytes);
    runs->result.tokens = ets_arena_alloc_array(arena, count - 1, sizeof *runs->result.tokens);
    if (runs->reference != NULL && runs->row != NULL && runs->result.tokens != NULL) return ETS_OK;
    return ets_fail_memory(error, "the logits of the reference");
}

/* Copies a row, which must have the size of the vocabulary. */
static enum ets_status read_row(const struct ets_quality_runs *runs,
                                const struct ets_tensor *logits, uint32_t row, uint32_t rows,
                                float *out, struct ets_error *error)
{
    const uint8_t *first;
    uint32_t count;
    ETS_TRY(ets_logits_row(logits, row, rows, &first, &count, error));
    if (count != runs->vocabulary) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "a token has %u logits, expected the %u of the vocabulary", count,
                        runs->vocabulary);
    }
    const size_t size = ets_scalar_type_bytes(logits->scalar_type);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (float)ets_element_load(first + i * size, logits->scalar_type, 0);
    }
    return ETS_OK;
}

enum ets_status ets_quality_keep(void *context, uint32_t position, const struct ets_tensor *logits,
                                 uint32_t row, uint32_t rows, struct ets_error *error)
{
    struct ets_quality_runs *runs = context;
    if (position >= runs->result.count) return ETS_OK; /* predicts what the text does not have */
    return read_row(runs, logits, row, rows, runs->reference + (size_t)position * runs->vocabulary,
                    error);
}

enum ets_status ets_quality_score(void *context, uint32_t position, const struct ets_tensor *logits,
                                  uint32_t row, uint32_t rows, struct ets_error *error)
{
    struct ets_quality_runs *runs = context;
    if (position >= runs->result.count) return ETS_OK;
    struct ets_quality_token *token = &runs->result.tokens[position];
    *token =
        (struct ets_quality_token){.position = position + 1, .token = runs->tokens[position + 1]};
    ETS_TRY(read_row(runs, logits, row, rows, runs->row, error));
    return ets_quality_compare(runs->reference + (size_t)position * runs->vocabulary, runs->row,
                               runs->vocabulary, token, error);
}
