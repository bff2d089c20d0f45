/* Words what tracing costs a run, and what is not in that number. */
#include "views/tracing_words.h"

/* Microseconds with one decimal, in every language's notation. */
static void add_us(struct ets_text_builder *text, double ns)
{
    const unsigned long long tenths = (unsigned long long)(ns / 100 + 0.5);
    ets_add_plain_text(text, "%llu.%llu", tenths / 10, tenths % 10);
}

static void add_range(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    add_us(text, cost->low);
    ets_add_plain_text(text, "..");
    add_us(text, cost->high);
    ets_add_plain_text(text, " us");
}

static void add_estimate(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    ets_add_plain_text(text, "about ");
    add_us(text, cost->events_ns);
    ets_add_plain_text(text, " us per run");
    if (cost->lacks_profilers) {
        ets_add_plain_text(text, " (without the delegate's own profiler)");
    }
}

void ets_add_tracing_cost(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    if (cost->pairs == 0) {
        add_estimate(text, cost);
        return;
    }
    add_range(text, cost);
    ets_add_plain_text(text, " per run (measured)");
}

void ets_add_subtracted_cost(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    add_estimate(text, cost);
    if (cost->pairs == 0) return;
    ets_add_plain_text(text, " of ");
    add_range(text, cost);
    ets_add_plain_text(text, " measured");
}
