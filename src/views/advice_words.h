/*
 * How views word their advice: the command line passes its options, Python its arguments. Without
 * words there is no advice.
 */
#ifndef ETSCOPE_VIEWS_ADVICE_WORDS_H
#define ETSCOPE_VIEWS_ADVICE_WORDS_H

#include "etscope/base.h"
#include "host/text_builder.h"

struct ets_advice_words {
    const char *of[ETS_ADVICE_COUNT]; /* for %s in the clause of each code; NULL: no advice */
};

/* Prints the clause of `advice` with the word of `words` (NULL: none). Returns the length. */
static inline size_t ets_advise_with(const struct ets_advice_words *words, enum ets_advice advice,
                                     char *text, size_t room)
{
    return ets_advice_print(advice, words == NULL ? NULL : words->of[advice], text, room);
}

/* The same, appended to a sentence. */
static inline void ets_add_advice(struct ets_text_builder *builder,
                                  const struct ets_advice_words *words, enum ets_advice advice)
{
    builder->used += ets_advise_with(words, advice, builder->text + builder->used,
                                     builder->room - builder->used);
}

#endif
