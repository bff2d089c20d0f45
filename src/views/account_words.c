/* Names lines of the tree of times, and bounds their times. */
#include "views/account_words.h"

#include <string.h>

#include "base/text.h"
#include "host/text_builder.h"
#include "inspect/patterns.h"

static bool is_row(const struct ets_account_line *line)
{
    return line->node != NULL && line->node->kind == ETS_ACCOUNT_ROW;
}

bool ets_account_line_is_unknown(const struct ets_account_line *line)
{
    const struct ets_delegate_clock *clock = line->row->clock;
    return clock != NULL && is_row(line) &&
           (clock->state == ETS_CLOCK_UNKNOWN || clock->state == ETS_CLOCK_COUNTED);
}

bool ets_account_line_is_added(const struct ets_account_line *line)
{
    return !ets_account_line_is_unknown(line) && (line->node == NULL || line->node->is_added);
}

bool ets_account_line_has_self(const struct ets_account_line *line)
{
    return ets_account_line_is_added(line) && (line->node == NULL || is_row(line));
}

const char *ets_account_line_kind(const struct ets_account_line *line)
{
    static const char *const names[] = {"row", "framework", "unaccounted"};
    return line->node == NULL ? "operator_calls" : names[line->node->kind];
}

/* Of a line that is not added to others. */
static const char *why_apart(const struct ets_account_line *line)
{
    const struct ets_delegate_clock *clock = line->row->clock;
    if (clock != NULL && clock->state == ETS_CLOCK_COUNTED) return clock->unit;
    if (clock != NULL && clock->state == ETS_CLOCK_ESTIMATED) return "estimate, not added";
    return ets_account_line_is_unknown(line) ? "clock unknown" : "not added";
}

static struct ets_text name_row(const struct ets_account_line *line, char *text, size_t room)
{
    struct ets_text_builder built = {text, room, 0};
    const struct ets_text name = ets_row_operator(line->row);
    const bool is_unknown = ets_account_line_is_unknown(line);
    if (is_unknown || !line->node->is_added) {
        ets_add_text(&built, "%.*s (%s)", ETS_TEXT(name), why_apart(line));
    } else if (ets_text_is(name, "DELEGATE_CALL") && line->row->backend != NULL) {
        ets_add_text(&built, "DELEGATE_CALL %s", line->row->backend);
    }
    return built.used > 0 ? ets_built_text(&built) : name;
}

struct ets_text ets_account_line_name(const struct ets_account_line *line, char *text, size_t room)
{
    static const char *const rests[] = {
        [ETS_ACCOUNT_FRAMEWORK] = "(framework)", [ETS_ACCOUNT_UNACCOUNTED] = "(unaccounted)"};
    if (is_row(line)) return name_row(line, text, room);
    const char *name = line->node == NULL ? "(operator calls)" : rests[line->node->kind];
    return (struct ets_text){name, strlen(name)};
}

struct ets_span ets_account_span(double ticks, double below, double above)
{
    double lower = ticks - below;
    if (ticks >= 0 && lower < 0) lower = 0;
    return (struct ets_span){lower, ticks + above};
}
