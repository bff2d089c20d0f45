/*
 * What a reader of a view can do about what it says, in the words of whoever shows it: the command
 * line hands in its options, Python its arguments. Without words nothing is advised.
 */
#ifndef ETSCOPE_VIEWS_ADVICE_WORDS_H
#define ETSCOPE_VIEWS_ADVICE_WORDS_H

#include "etscope/base.h"

struct ets_advice_words {
    const char *of[ETS_ADVICE_COUNT]; /* for %s in the clause of each code; NULL: there is no way */
};

/* Prints the clause of `advice` with the word of `words` (NULL: none). Returns the length. */
static inline size_t ets_advise_with(const struct ets_advice_words *words, enum ets_advice advice,
                                     char *text, size_t room)
{
    return ets_advice_print(advice, words == NULL ? NULL : words->of[advice], text, room);
}

#endif
