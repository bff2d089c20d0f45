/* What the layers of a quantized language model cost, as sentences; and code that changes them. */
#ifndef ETSCOPE_OUTPUT_TEXT_LAYER_QUALITY_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_LAYER_QUALITY_TEXT_H

#include "host/output.h"
#include "host/text_builder.h"
#include "quality/layer_study.h"

/* Sentence number `index`; false past the end. `model_kl`: of the program; `wanted`: NaN: none. */
bool ets_layer_quality_sentence(const struct ets_layer_study *study, double model_kl, double wanted,
                                uint32_t index, struct ets_text_builder *text);

/* Writes Python for torchao that quantizes each layer in its scheme, with the study's changes. */
void ets_layer_quality_filter(const struct ets_layer_study *study, struct ets_output *output);

#endif
