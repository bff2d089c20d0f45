/* A generation as sentences, lines and rows of a document. */
#ifndef ETSCOPE_OUTPUT_TEXT_GENERATION_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_GENERATION_TEXT_H

#include "generate/generation_report.h"
#include "host/text_builder.h"
#include "output/text/json_writer.h"

enum { ETS_GENERATION_HEADLINE = 512 };

/*
 * Sentence number `index`: prefill and decode of each depth, then the cache; false past the end.
 * `hint`: what gives the interval of a single recording, such as an option; NULL: none.
 */
bool ets_generation_headline(const struct ets_generation_report *report, const char *hint,
                             uint32_t index, struct ets_text_builder *text);

/* All of them, and lines for what is behind them. */
void ets_generation_print(const struct ets_generation_report *report, const char *hint,
                          struct ets_output *output);

/* A row for each test, with llama-bench's names where it has one. */
void ets_generation_put_rows(const struct ets_generation_report *report,
                             struct ets_json_writer *json);

#endif
