/* Findings about where the time of a run goes. */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

/* Whether a share is worth a finding, whatever the clock rounds. */
static bool is_large(struct ets_span share)
{
    return share.lower >= ETS_FINDING_LEAST_SHARE;
}

static struct ets_span share_of(const struct ets_finder *finder,
                                const struct ets_operator_line *line)
{
    return ets_timed_block_share(finder->block, line);
}

bool ets_find_between(struct ets_finder *finder)
{
    if (!finder->block->has_operators) return true; /* whether there were any is not known */
    for (uint32_t i = 0; i < finder->backends.count; i++) {
        const struct ets_operator_line *line = &finder->backends.items[i];
        const struct ets_span share = share_of(finder, line);
        if (!ets_line_is_between(line) || !is_large(share)) continue;
        ets_add_share(&finder->line, share);
        ets_find_say(finder, " of a run is between operators: the runtime, and the tracer itself");
        return ets_finding_add(finder,
                               ets_finding_timed(finder, "between_operators", share, "operators"));
    }
    return true;
}

/* Time of calls that their delegates do not report; not of calls without any events. */
bool ets_find_not_reported(struct ets_finder *finder)
{
    for (uint32_t i = 0; i < finder->operators.count; i++) {
        const struct ets_operator_line *line = &finder->operators.items[i];
        const struct ets_span share = share_of(finder, line);
        if (!line->is_rest || !is_large(share)) continue;
        struct ets_finding finding = ets_finding_timed(finder, "not_reported", share, "operators");
        finding.place = line->name;
        ets_add_share(&finder->line, share);
        ets_find_say(finder,
                     " of a run is inside delegate calls, but not in any operator that the "
                     "delegate reports: ");
        ets_find_say(finder, "%.*s", ETS_TEXT(line->name));
        if (!ets_finding_add(finder, finding)) return false;
    }
    return true;
}

static const struct ets_operator_line *line_named(const struct ets_operator_lines *lines,
                                                  const char *name)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        if (ets_text_is(lines->items[i].name, name)) return &lines->items[i];
    }
    return NULL;
}

/* Kernels beside delegates; of a program without delegates nothing is left out. */
bool ets_find_outside(struct ets_finder *finder)
{
    struct ets_operator_lines kernels;
    const struct ets_operator_line *outside = line_named(&finder->backends, "portable");
    uint32_t backends = 0;
    for (uint32_t i = 0; i < finder->backends.count; i++) {
        backends += !ets_line_is_between(&finder->backends.items[i]);
    }
    if (outside == NULL || backends < 2 || !is_large(share_of(finder, outside))) return true;
    if (!ets_timed_block_group(finder->arena, &finder->blocks, finder->block, ETS_GROUP_OP,
                               "portable", &kernels)) {
        return false;
    }
    const struct ets_span share = share_of(finder, outside);
    struct ets_finding finding = ets_finding_timed(finder, "outside_delegates", share, "operators");
    ets_add_share(&finder->line, share);
    ets_find_say(finder, " of a run is in %g kernel call%s outside of delegates",
                 outside->calls_per_run, outside->calls_per_run == 1 ? "" : "s");
    for (uint32_t i = 0; i < kernels.count && i < 3; i++) {
        ets_find_say(finder, "%s%.*s ", i == 0 ? ": " : ", ", ETS_TEXT(kernels.items[i].name));
        ets_add_share(&finder->line, share_of(finder, &kernels.items[i]));
    }
    if (kernels.count > 0) finding.place = kernels.items[0].name;
    return ets_finding_add(finder, finding);
}

/* Whether an operator only copies or converts: "permute_copy.out", "_to_dim_order_copy.out". */
static bool is_copy(struct ets_text name)
{
    static const char *const starts[] = {"clone", "_clone_dim_order", "Transpose (", "Copy ("};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (ets_text_starts_with(name, starts[i])) return true;
    }
    return ets_text_contains(name, "_copy.") && !ets_text_contains(name, "index_copy");
}

bool ets_find_copies(struct ets_finder *finder)
{
    struct ets_span sum = {0, 0};
    double calls = 0;
    const struct ets_operator_line *largest = NULL;
    for (uint32_t i = 0; i < finder->operators.count; i++) {
        const struct ets_operator_line *line = &finder->operators.items[i];
        if (!is_copy(line->name)) continue;
        const struct ets_span share = share_of(finder, line);
        sum.lower += share.lower;
        sum.upper += share.upper;
        calls += line->calls_per_run;
        if (largest == NULL) largest = line; /* they are sorted */
    }
    if (largest == NULL || !is_large(sum)) return true;
    struct ets_finding finding = ets_finding_timed(finder, "copies", sum, "operators");
    finding.place = largest->name;
    ets_add_share(&finder->line, sum);
    ets_find_say(finder,
                 " of a run copies tensors or changes their layout, in %g call%s; the most "
                 "in %.*s ",
                 calls, calls == 1 ? "" : "s", ETS_TEXT(largest->name));
    ets_add_share(&finder->line, share_of(finder, largest));
    return ets_finding_add(finder, finding);
}
