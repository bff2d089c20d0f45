/* What lines of the tree of times are called, and how exact their times are. */
#ifndef ETSCOPE_VIEWS_ACCOUNT_WORDS_H
#define ETSCOPE_VIEWS_ACCOUNT_WORDS_H

#include "views/account_lines.h"
#include "views/work.h"

/* A row of a delegate with a clock that is not known: its ticks are no times. */
bool ets_account_line_is_unknown(const struct ets_account_line *line);
/* Whether its time is part of the sums. */
bool ets_account_line_is_added(const struct ets_account_line *line);
/* Added, and with time that no line inside of it has. */
bool ets_account_line_has_self(const struct ets_account_line *line);

/* "row", "framework", "unaccounted" or "operator_calls". */
const char *ets_account_line_kind(const struct ets_account_line *line);

/* "addmm.out", "DELEGATE_CALL XnnpackBackend", "(framework)"; the row's own, or in `text`. */
enum { ETS_ACCOUNT_NAME = 320 };
struct ets_text ets_account_line_name(const struct ets_account_line *line, char *text, size_t room);

/* Bounds of `ticks` that may be off by so much: a time is not below 0, a rest can be. */
struct ets_span ets_account_span(double ticks, double below, double above);

#endif
