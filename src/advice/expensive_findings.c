/* Findings about the operators that take most of a run, and that no other finding is about. */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

/* Whether a finding that is shown is about a row. */
static bool is_about(const struct ets_finding *finding, const struct ets_row *row, uint32_t index)
{
    if (finding->block != row->block || !ets_finding_is_shown(finding)) return false;
    for (uint32_t i = 0; i < finding->row_count; i++) {
        if (finding->rows[i] == index) return true;
    }
    for (uint32_t i = 0; i < finding->instruction_count && !row->is_delegated; i++) {
        if (row->chain == 0 && row->instruction == (int64_t)finding->instructions[i]) return true;
    }
    return false;
}

static bool is_told(const struct ets_finder *finder, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(finder->subject->inspection, index);
    for (uint32_t i = 0; i < finder->out->count; i++) {
        if (is_about(&finder->out->items[i], row, index)) return true;
    }
    return false;
}

/* Work of one name that no finding is about. */
struct expensive {
    struct ets_text name;
    const struct ets_work *work;
    double *per_run; /* [run of the block] */
    struct ets_clock_error error;
    uint32_t calls;
};

/* Collects the rows of the name; their time is in `per_run`. */
static bool collect(struct ets_finder *finder, struct expensive *e)
{
    const struct ets_work *work = e->work;
    for (uint32_t i = 0; i < work->block->run_count; i++) e->per_run[i] = 0;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < work->count; i++) {
        const struct ets_work_piece *piece = &work->pieces[i];
        const struct ets_row *row = ets_inspection_row(work->inspection, piece->row);
        if (piece->is_rest || !ets_text_equal(ets_operator_group_name(row), e->name) ||
            is_told(finder, piece->row)) {
            continue;
        }
        ets_work_add(work, piece, e->per_run);
        e->calls += row->calls_per_run;
        ets_clock_error_add(&e->error, piece->error);
        if (!ets_parts_take_row(finder, piece->row)) return false;
        if (row->chain == 0 && row->instruction >= 0 &&
            !ets_parts_add_call(finder, (uint32_t)row->instruction)) {
            return false;
        }
    }
    return true;
}

static bool add_expensive(struct ets_finder *finder, const struct expensive *e,
                          struct ets_span ticks)
{
    const struct ets_finding_parts *parts = &finder->parts;
    const double whole = finder->block->runs.whole;
    const struct ets_span share = {ticks.lower / whole, ticks.upper / whole};
    ets_add_share(&finder->line, share);
    ets_find_say(finder, " of a run is in %.*s, %u call%s", ETS_TEXT(e->name), e->calls,
                 e->calls == 1 ? "" : "s");
    if (finder->subject->program != NULL && finder->subject->record != NULL) {
        ets_find_say(finder, ": no rule knows what would make %s faster",
                     e->calls == 1 ? "it" : "them");
    }
    if (parts->instruction_count > 0) ets_parts_prove(finder);
    if (finder->block->runs.count >= ETS_RUNS_FOR_MID) {
        ets_find_evidence(finder, "%s", parts->instruction_count > 0 ? ": " : "");
        ets_add_time(&finder->evidence, ticks, finder->blocks.tick_ns);
        ets_find_evidence(finder, " of a run (mid)");
    }
    struct ets_finding finding = ets_finding_timed(finder, ETS_EXPENSIVE_KIND, share, "operators");
    ets_finding_place_parts(finder, &finding);
    ets_finding_name_parts(finder, &finding);
    if (finding.place.data == NULL) finding.place = e->name;
    return ets_finding_add(finder, finding);
}

bool ets_find_expensive(struct ets_finder *finder)
{
    struct ets_operator_lines lines;
    struct ets_work work;
    const struct ets_timed_block *block = finder->block;
    const struct ets_text_builder heading = finder->line; /* the name of the block */
    if (!ets_timed_block_group(finder->arena, &finder->blocks, block, ETS_GROUP_OP, NULL, &lines) ||
        !ets_work_collect(finder->arena, finder->blocks.inspection, block->block, ETS_WORK_ALL,
                          NULL, &work)) {
        return false;
    }
    double *per_run = ets_arena_alloc_array(finder->arena, work.block->run_count, sizeof *per_run);
    if (per_run == NULL) return false;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_operator_line *line = &lines.items[i];
        struct expensive e = {.name = line->name, .work = &work, .per_run = per_run};
        struct ets_chosen_times times;
        if (line->is_rest || ets_line_is_between(line) ||
            !(ets_timed_block_share(block, line).lower >= ETS_EXPENSIVE_SHARE)) {
            continue;
        }
        if (!collect(finder, &e)) return false;
        ets_chosen_runs_summarise(&block->runs, per_run, &times);
        const struct ets_span ticks = ets_span_of(times.middle, e.error, 1);
        if (!(ticks.lower >= ETS_EXPENSIVE_SHARE * block->runs.whole)) continue;
        finder->line.used = heading.used;
        if (!add_expensive(finder, &e, ticks)) return false;
    }
    return true;
}
