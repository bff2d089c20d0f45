/* Words that the sentences about a gap report share. */
#ifndef ETSCOPE_VIEWS_GAP_WORDS_H
#define ETSCOPE_VIEWS_GAP_WORDS_H

#include <math.h>

#include "base/text.h"
#include "etscope/experimental/gap.h"
#include "host/text_builder.h"
#include "views/advice_words.h"

/* Sentences as they grow, and what they may advise. */
struct ets_gap_words {
    struct ets_text_builder builder;
    const struct ets_advice_words *advice;
};

/* A share to first order may be a little more than all. */
#define ETS_GAP_ALL_OF_IT 1.05

#define say(words, ...) ets_add_plain_text(&(words)->builder, __VA_ARGS__)

static inline void say_advice(struct ets_gap_words *words, enum ets_advice advice)
{
    ets_add_advice(&words->builder, words->advice, advice);
}

/* With `digits` significant ones. */
static inline void say_number(struct ets_gap_words *words, double number, int digits)
{
    say(words, "%.*g", digits, number);
}

/* "0.31 %", "43 %"; never 100 of what is less than all. */
static inline void say_percent(struct ets_gap_words *words, double share)
{
    const double percent = 100 * share;
    if (percent >= 10) say(words, "%.0f %%", floor(percent));
    else say(words, "%.2g %%", percent);
}

static inline void say_text(struct ets_gap_words *words, struct ets_text text)
{
    say(words, "%.*s", ETS_TEXT(text));
}

/* "input 0", or the name of its node. */
static inline void say_activation(struct ets_gap_words *words,
                                  const struct ets_gap_saturation *saturation)
{
    if (saturation->node == NULL) say(words, "input %u", saturation->input);
    else say_text(words, saturation->node->name);
}

/* "linear (models/net.py:20)": a node, with its line of the model. */
void ets_gap_say_node(struct ets_gap_words *words, const struct ets_graph_node *node);
/* The node that a row of the table is named after. */
void ets_gap_say_name(struct ets_gap_words *words, const struct ets_gap_report *report,
                      uint32_t row);
/* Likewise with its line; a node without a line has that of the last before it. */
void ets_gap_say_row(struct ets_gap_words *words, const struct ets_gap_report *report,
                     uint32_t row);
/*
 * What a row's own error can come from. If only one operator can: as ets_gap_say_row. Else all of
 * them, and no one: "one of the 5 operators of partition 0 of XnnpackBackend (conv2d, relu,
 * conv2d_1, relu_1, conv2d_2; models/net.py:9; modules c1, c2, c3)".
 */
void ets_gap_say_culprit(struct ets_gap_words *words, const struct ets_gap_report *report,
                         uint32_t row);
/* The operators that a row's own error can come from: views and conversions are none. */
uint32_t ets_gap_suspect_count(const struct ets_gap_report *report, uint32_t row);
/* Whether the node is among those that a row's own error covers. */
bool ets_gap_covers(const struct ets_gap_report *report, uint32_t row,
                    const struct ets_graph_node *node);

#endif
