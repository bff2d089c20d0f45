/* Two language models side by side, as sentences. */
#ifndef ETSCOPE_OUTPUT_TEXT_QUALITY_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_QUALITY_TEXT_H

#include "generate/quality.h"
#include "host/text_builder.h"

/* What is wanted of a model; NaN: nothing. */
struct ets_quality_limits {
    double most_kl;    /* nats a token, mean */
    double least_same; /* percent of tokens whose best token is the same */
};

/* Whether all limits are kept. */
bool ets_quality_passes(const struct ets_quality *quality, const struct ets_quality_limits *limits);

/* Sentence number `index`; false past the end. `reference`: how it is called, a file's name. */
bool ets_quality_sentence(const struct ets_quality *quality,
                          const struct ets_quality_limits *limits, const char *reference,
                          uint32_t index, struct ets_text_builder *text);

#endif
