/* Patterns of texts, as users write them for names. */
#ifndef ETSCOPE_BASE_TEXT_PATTERN_H
#define ETSCOPE_BASE_TEXT_PATTERN_H

#include <stdbool.h>

#include "etscope/base.h"

/*
 * Whether the whole text is what the pattern says: * is any text, ? any byte, everything else
 * itself. Takes pattern.size * text.size steps at most.
 */
bool ets_text_matches(struct ets_text pattern, struct ets_text text);

#endif
