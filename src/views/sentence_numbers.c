/* Prints times and shares for sentences. */
#include "views/sentence_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_CHARS = 32 };

/* Three significant digits, or all before the point. */
static void print_number(double value, char text[NUMBER_CHARS])
{
    const int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    const bool is_whole = value == floor(value);
    (void)snprintf(text, NUMBER_CHARS, "%.*f", is_whole ? 0 : decimals, value);
}

void ets_add_range(struct ets_text_builder *text, const char *lower, const char *upper)
{
    if (strcmp(lower, upper) == 0) ets_add_text(text, "%s", upper);
    else ets_add_text(text, "%s..%s", lower, upper);
}

static void add_span(struct ets_text_builder *text, struct ets_span span, double unit)
{
    char lower[NUMBER_CHARS], upper[NUMBER_CHARS];
    print_number(span.lower / unit, lower);
    print_number(span.upper / unit, upper);
    const bool is_below = span.lower <= 0 && span.lower < span.upper;
    if (is_below && strcmp(lower, upper) != 0) ets_add_text(text, "<%s", upper);
    else ets_add_range(text, lower, upper);
}

static const struct {
    double ns;
    const char *name;
} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};

enum { UNITS = sizeof units / sizeof *units };

double ets_time_scale(double ticks, double tick_ns)
{
    size_t at = 0;
    if (tick_ns == 0) return 0;
    while (at + 1 < UNITS && ticks * tick_ns < units[at].ns) at++;
    return units[at].ns;
}

double ets_shared_time_scale(double left, double right, double tick_ns)
{
    const double smaller = fmin(fabs(left), fabs(right)); /* of a NaN, the other */
    return ets_time_scale(smaller > 0 ? smaller : fmax(fabs(left), fabs(right)), tick_ns);
}

void ets_add_time_in(struct ets_text_builder *text, struct ets_span ticks, double tick_ns,
                     double scale)
{
    size_t at = 0;
    if (scale == 0) {
        add_span(text, ticks, 1);
        ets_add_text(text, " cycles");
        return;
    }
    while (at + 1 < UNITS && units[at].ns > scale) at++;
    add_span(text, ticks, scale / tick_ns);
    ets_add_text(text, " %s", units[at].name);
}

void ets_add_time(struct ets_text_builder *text, struct ets_span ticks, double tick_ns)
{
    ets_add_time_in(text, ticks, tick_ns, ets_time_scale(ticks.upper, tick_ns));
}

void ets_add_share(struct ets_text_builder *text, struct ets_span share)
{
    const double lower = share.lower * 100, upper = share.upper * 100;
    const bool is_exact = lower == upper;
    char least[NUMBER_CHARS], most[NUMBER_CHARS];
    (void)snprintf(least, sizeof least, "%.1f", lower);
    (void)snprintf(most, sizeof most, "%.1f", upper);
    if (is_exact && lower > 0 && lower < 0.05) ets_add_text(text, "<0.1 %%");
    else if (is_exact) ets_add_text(text, "%.1f %%", lower);
    else if (lower < 0.05) ets_add_text(text, "<%.1f %%", ceil(upper * 10) / 10);
    else {
        ets_add_range(text, least, most);
        ets_add_text(text, " %%");
    }
}
