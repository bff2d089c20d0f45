/* Adds up the parts of a model whose names begin alike. */
#include "views/part_times.h"

#include <math.h>

#include "base/text.h"
#include "views/sentence_numbers.h"
#include "views/unplaced_work.h"

#define LEAST_UNKNOWN 0.02 /* of the run */

/* "attention" of "attention: scores"; size 0: the part stands for itself. */
static struct ets_text whole_of(struct ets_text part)
{
    for (size_t i = 0; i + 1 < part.size; i++) {
        if (part.data[i] == ':' && part.data[i + 1] == ' ') return (struct ets_text){part.data, i};
    }
    return (struct ets_text){"", 0};
}

/* Upper ends of ranges add up to more than a run: a sum takes at most what the others leave. */
static void bound(struct ets_span *sum, double whole, double others)
{
    const double most = fmax(sum->lower, whole - others);
    if (whole > 0 && sum->upper > most) sum->upper = most;
}

static bool is_first_of(const struct ets_operator_lines *lines, uint32_t index,
                        struct ets_text name)
{
    for (uint32_t i = 0; i < index; i++) {
        if (ets_text_equal(whole_of(lines->items[i].name), name)) return false;
    }
    return true;
}

/* What may be of these parts, or may not: "(not in the record)", "(several parts)". */
static void add_unknown(const struct ets_operator_lines *lines, double whole,
                        struct ets_text_builder *text)
{
    struct ets_span sum = {0, 0};
    double others = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_operator_line *line = &lines->items[i];
        const bool is_unknown =
            ets_is_unknown_work(line->name) || ets_text_is(line->name, "(several parts)");
        const struct ets_span span = ets_span_of(line->times.middle, line->error, 1);
        if (!is_unknown) others += span.lower;
        if (!is_unknown) continue;
        sum.lower += span.lower;
        sum.upper += span.upper;
    }
    bound(&sum, whole, others);
    if (!(whole > 0) || sum.upper < LEAST_UNKNOWN * whole) return;
    ets_add_text(text, "; of ");
    ets_add_share(text, ets_span_part(sum, whole));
    ets_add_text(text, " of the run the part is not known");
}

void ets_add_part_sums(const struct ets_operator_lines *lines, double whole, double tick_ns,
                       struct ets_text_builder *text)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_text name = whole_of(lines->items[i].name);
        struct ets_span sum = {0, 0};
        double others = 0;
        uint32_t parts = 0;
        if (name.size == 0 || !is_first_of(lines, i, name)) continue;
        for (uint32_t j = 0; j < lines->count; j++) {
            const struct ets_operator_line *line = &lines->items[j];
            const struct ets_span span = ets_span_of(line->times.middle, line->error, 1);
            if (!ets_text_equal(whole_of(line->name), name)) others += span.lower;
            if (!ets_text_equal(whole_of(line->name), name)) continue;
            sum.lower += span.lower;
            sum.upper += span.upper;
            parts++;
        }
        if (parts < 2) continue;
        bound(&sum, whole, others);
        ets_add_text(text, "%s%.*s takes ", text->used > 0 ? "; " : "", ETS_TEXT(name));
        ets_add_time(text, sum, tick_ns);
        ets_add_text(text, " in all");
        if (!(whole > 0)) continue;
        ets_add_text(text, ", ");
        ets_add_share(text, ets_span_part(sum, whole));
    }
    if (text->used > 0) add_unknown(lines, whole, text);
}
