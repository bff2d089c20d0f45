/* Writes the sentence that says how far a run is from the roof, and where the difference is. */
#include "views/headroom_sentence.h"

#include <math.h>

#include "views/operator_lines.h"

/* A part of a run that is not worth a word. */
#define LEAST_SHARE 0.01

static void add_time(struct ets_text_builder *text, double ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t at = 0;
    while (at < 3 && ns < units[at].unit) at++;
    const double value = ns / units[at].unit;
    ets_add_text(text, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[at].name);
}

/* The largest line of what is saved among those with that parent; NULL: there is none. */
static const struct ets_operator_line *largest_part(const struct ets_operator_lines *lines,
                                                    uint32_t parent)
{
    const struct ets_operator_line *best = NULL;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_operator_line *line = &lines->items[i];
        if (line->parent == parent && (best == NULL || line->saved > best->saved)) best = line;
    }
    return best;
}

/* The innermost module with half of what is saved; NULL: no module but the model itself. */
static const struct ets_operator_line *find_module(const struct ets_operator_lines *lines,
                                                   double saved)
{
    const struct ets_operator_line *found = NULL;
    const struct ets_operator_line *next = largest_part(lines, ETS_NO_INDEX);
    while (next != NULL && next->saved >= saved / 2) {
        found = next;
        next = largest_part(lines, (uint32_t)(next - lines->items));
    }
    return found != NULL && found->parent != ETS_NO_INDEX ? found : NULL;
}

struct place {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_headroom *headroom;
    const struct ets_chosen_runs *runs;
    uint32_t block;
};

static bool group(const struct place *p, enum ets_group_by by, struct ets_operator_lines *lines)
{
    const struct ets_operator_options options = {
        .group_by = by, .block = p->block, .run = ETS_NO_INDEX, .headroom = p->headroom};
    return ets_operator_lines_by_group(p->arena, p->inspection, &options, p->runs, p->block, lines);
}

static bool add_place(const struct place *p, struct ets_text_builder *text)
{
    struct ets_operator_lines lines;
    const double saved = p->headroom->saved;
    if (!group(p, ETS_GROUP_MODULE, &lines)) return false;
    const struct ets_operator_line *line = find_module(&lines, saved);
    if (line == NULL) {
        if (!group(p, ETS_GROUP_OP, &lines)) return false;
        line = largest_part(&lines, ETS_NO_INDEX);
    }
    if (line == NULL || !(line->saved > 0)) return true;
    ets_add_text(text, "; %.0f %% of the difference is in ", 100 * line->saved / saved);
    ets_add_shown_text(text, line->name);
    return true;
}

/* How many operators are of a verdict that gives no share, and what they take. */
static void add_others(const struct ets_headroom *h, enum ets_roof_verdict verdict,
                       struct ets_text_builder *text)
{
    const uint32_t rows = h->verdicts[verdict].rows;
    const double share = h->verdicts[verdict].ticks / h->whole;
    if (rows == 0 || share < LEAST_SHARE) return;
    ets_add_text(text, "; %u operator%s, %.0f %% of the run, %s %s", rows, rows == 1 ? "" : "s",
                 100 * share, rows == 1 ? "is" : "are", ets_roof_verdict_name(verdict));
}

static void add_machine(const struct ets_headroom *h, struct ets_text_builder *text)
{
    const char *cpu = h->machine->cpu[0] != '\0' ? h->machine->cpu : "the machine";
    ets_add_plain_text(text, "%.80s with %u thread%s", cpu, h->threads, h->threads == 1 ? "" : "s");
}

bool ets_headroom_sentence(struct ets_arena *arena, const struct ets_inspection *inspection,
                           const struct ets_headroom *headroom, const struct ets_chosen_runs *runs,
                           uint32_t block, double tick_ns, struct ets_text_builder *text)
{
    const struct place place = {arena, inspection, headroom, runs, block};
    const uint32_t judged = headroom->verdicts[ETS_ROOF_VERDICT_COMPUTE_BOUND].rows +
                            headroom->verdicts[ETS_ROOF_VERDICT_MEMORY_BOUND].rows +
                            headroom->verdicts[ETS_ROOF_VERDICT_BELOW_ROOF].rows;
    if (!(headroom->whole > 0) || !ets_headroom_has_operators(headroom)) return true;
    add_time(text, headroom->whole * tick_ns);
    ets_add_text(text, " a run; ");
    if (judged == 0) {
        ets_add_text(text, "no operator can be held against the roof of ");
        add_machine(headroom, text);
    } else {
        add_time(text, fmax(0, headroom->whole - headroom->saved) * tick_ns);
        ets_add_text(text, " at the roof of ");
        add_machine(headroom, text);
        if (headroom->saved > LEAST_SHARE * headroom->whole && !add_place(&place, text))
            return false;
    }
    add_others(headroom, ETS_ROOF_VERDICT_OVERHEAD_BOUND, text);
    add_others(headroom, ETS_ROOF_VERDICT_UNKNOWN, text);
    if (headroom->too_fast > 0) {
        ets_add_text(text,
                     "; %u operator%s faster than the measured roof: measure the machine again",
                     headroom->too_fast, headroom->too_fast == 1 ? " is" : "s are");
    }
    return true;
}
