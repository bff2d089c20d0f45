/* Words the comparison of two language models. */
#include "output/text/quality_text.h"

#include <math.h>
#include <stdio.h>

#include "views/sentence_numbers.h"

static double percent_of(uint32_t part, uint32_t whole)
{
    return 100.0 * part / whole;
}

static bool keeps_kl(const struct ets_quality *quality, const struct ets_quality_limits *limits)
{
    return isnan(limits->most_kl) || quality->kl <= limits->most_kl;
}

static bool keeps_same(const struct ets_quality *quality, const struct ets_quality_limits *limits)
{
    return isnan(limits->least_same) ||
           percent_of(quality->same_count, quality->count) >= limits->least_same;
}

bool ets_quality_passes(const struct ets_quality *quality, const struct ets_quality_limits *limits)
{
    return keeps_kl(quality, limits) && keeps_same(quality, limits);
}

/* "KL 0.031 nats a token (limit 0.02) against float.pte over 63 tokens; the best token is the same
 * at 58 (92.1 %), among the reference's 5 best at 63 (100.0 %); perplexity 12.1 against 11.8" */
static void add_answer(const struct ets_quality *quality, const struct ets_quality_limits *limits,
                       const char *reference, struct ets_text_builder *text)
{
    const uint32_t count = quality->count;
    if (!isnan(limits->most_kl) || !isnan(limits->least_same)) {
        ets_add_text(text, "%s ", ets_quality_passes(quality, limits) ? "PASS" : "FAIL");
    }
    ets_add_text(text, "KL %.3g nats a token", quality->kl);
    if (!isnan(limits->most_kl)) {
        ets_add_text(text, " (%s %g)", keeps_kl(quality, limits) ? "limit" : "above the limit of",
                     limits->most_kl);
    }
    ets_add_plain_text(text, " against %.256s", reference);
    ets_add_text(text, " over %u token%s", count, count == 1 ? "" : "s");
    if (quality->kl_lower < quality->kl_upper) {
        char low[32], high[32];
        (void)snprintf(low, sizeof low, "%.3g", quality->kl_lower);
        (void)snprintf(high, sizeof high, "%.3g", quality->kl_upper);
        ets_add_text(text, " (95 %% interval ");
        ets_add_range(text, low, high);
        ets_add_text(text, ")");
    }
    ets_add_text(text, "; the best token is the same at %u (%.1f %%", quality->same_count,
                 percent_of(quality->same_count, count));
    if (!isnan(limits->least_same)) {
        ets_add_text(text, ", %s %g %%",
                     keeps_same(quality, limits) ? "limit" : "below the limit of",
                     limits->least_same);
    }
    ets_add_text(text,
                 "), among the reference's %d best at %u (%.1f %%); perplexity %.4g against %.4g",
                 ETS_QUALITY_BEST, quality->near_count, percent_of(quality->near_count, count),
                 quality->perplexity, quality->reference_perplexity);
}

static void add_places(const struct ets_quality *quality, struct ets_text_builder *text)
{
    const struct ets_quality_token *worst = &quality->tokens[quality->worst];
    if (worst->kl > 0) {
        ets_add_text(text, "largest KL %.3g, at position %u; ", worst->kl, worst->position);
    } else {
        ets_add_text(text, "KL 0 at every position; ");
    }
    if (quality->first_other == quality->count) {
        ets_add_text(text, "the best tokens are the same everywhere");
        return;
    }
    const struct ets_quality_token *other = &quality->tokens[quality->first_other];
    ets_add_text(text,
                 "the best tokens first differ at position %u: %lld, of the reference %lld, in the "
                 "file %lld",
                 other->position, (long long)other->best, (long long)other->reference_best,
                 (long long)other->token);
}

bool ets_quality_sentence(const struct ets_quality *quality,
                          const struct ets_quality_limits *limits, const char *reference,
                          uint32_t index, struct ets_text_builder *text)
{
    if (index == 0) add_answer(quality, limits, reference, text);
    else if (index == 1) add_places(quality, text);
    return index <= 1;
}
