/* Compares the operators that delegates reported in two traces. */
#include "dump/reported_operators.h"

#include <stdio.h>

#include "base/text.h"
#include "etscope/etdump.h"

/* Walks over the operators that delegates reported, in all runs. */
struct operators {
    struct ets_etdump dump;
    uint32_t run, event;
};

static bool next_operator(struct operators *walk, struct ets_etdump_event *event_out)
{
    for (; walk->run < walk->dump.run_count; walk->run++, walk->event = 0) {
        struct ets_etdump_run run;
        ets_etdump_run(&walk->dump, walk->run, &run);
        while (walk->event < run.event_count) {
            ets_etdump_event(&walk->dump, &run, walk->event++, event_out);
            const bool is_of_delegate =
                event_out->delegate_id >= 0 || event_out->delegate_name.size > 0;
            if (event_out->kind == ETS_EVENT_PROFILE && is_of_delegate) return true;
        }
    }
    return false;
}

static bool is_same(const struct ets_etdump_event *a, const struct ets_etdump_event *b)
{
    return a->chain == b->chain && a->instruction == b->instruction &&
           a->delegate_id == b->delegate_id && ets_text_same(a->delegate_name, b->delegate_name);
}

bool ets_same_reported_operators(struct ets_bytes before, struct ets_bytes after, char *text,
                                 size_t room)
{
    struct operators a = {.run = 0}, b = {.run = 0};
    struct ets_etdump_event of_a, of_b;
    if (ets_etdump_init(&a.dump, before, NULL) != ETS_OK ||
        ets_etdump_init(&b.dump, after, NULL) != ETS_OK) {
        snprintf(text, room, "their traces cannot be read");
        return false;
    }
    for (;;) {
        const bool has_a = next_operator(&a, &of_a), has_b = next_operator(&b, &of_b);
        if (!has_a && !has_b) return true;
        if (has_a && has_b && is_same(&of_a, &of_b)) continue;
        const struct ets_etdump_event *at = has_b ? &of_b : &of_a;
        snprintf(
            text, room, "instruction %d runs \"%.*s\" instead of \"%.*s\"", at->instruction,
            has_b ? (int)of_b.delegate_name.size : 7, has_b ? of_b.delegate_name.data : "nothing",
            has_a ? (int)of_a.delegate_name.size : 7, has_a ? of_a.delegate_name.data : "nothing");
        return false;
    }
}
