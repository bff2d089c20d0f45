/* Words what tracing costs a run, and what is not in that number. */
#include "views/tracing_words.h"

#include "base/error.h"
#include "views/sentence_numbers.h"

enum { NUMBER_CHARS = 32 };

/* Microseconds with one decimal, in every language's notation. */
static void print_us(double ns, char number[NUMBER_CHARS])
{
    const unsigned long long tenths = (unsigned long long)(ns / 100 + 0.5);
    ets_print_text(number, NUMBER_CHARS, "%llu.%llu", tenths / 10, tenths % 10);
}

static void add_range(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    char low[NUMBER_CHARS], high[NUMBER_CHARS];
    print_us(cost->low, low);
    print_us(cost->high, high);
    ets_add_range(text, low, high);
    ets_add_plain_text(text, " us");
}

static void add_estimate(struct ets_text_builder *text, const struct ets_tracing_cost *cost)
{
    char number[NUMBER_CHARS];
    print_us(cost->events_ns, number);
    ets_add_plain_text(text, "about %s us per run", number);
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
