#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "compare/compare_names.h"
#include "output/table/difference_table.h"
#include "output/table/operator_cell.h"
#include "output/table/table.h"
#include "views/difference_order.h"
#include "views/operator_lines.h"

enum cell {
    CELL_BLOCK,
    CELL_METHOD,
    CELL_MATCHED,
    CELL_RUNS_BEFORE,
    CELL_RUNS_AFTER,
    CELL_INSTRUCTION,
    CELL_NAME,
    CELL_OPERATORS_BEFORE,
    CELL_OPERATORS_AFTER,
    CELL_BEFORE,
    CELL_AFTER,
    CELL_CHANGE,
    CELL_RATIO,
    CELL_INTERVAL,
    CELL_SHIFT,
    CELL_SHIFT_LOW,
    CELL_SHIFT_HIGH,
    CELL_CONTRIBUTION,
    CELL_P,
    CELL_P_EXACT,
    CELL_ADJUSTED_P,
    CELL_VERDICT,
    CELL_KIND,
    CELL_TIE,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_DEPTH,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_BLOCK] = {.name = "block", .machine_only = 1},
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_MATCHED] = {.name = "matched_by", .machine_only = 1},
    [CELL_RUNS_BEFORE] = {.name = "runs_before", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_RUNS_AFTER] = {.name = "runs_after", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INSTRUCTION] = {.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER},
    [CELL_NAME] = {.name = "operator", .least_width = 24, .cut_in_middle = 1},
    [CELL_OPERATORS_BEFORE] = {.name = "operators_before",
                               .kind = ETS_COLUMN_LIST,
                               .machine_only = 1},
    [CELL_OPERATORS_AFTER] = {.name = "operators_after",
                              .kind = ETS_COLUMN_LIST,
                              .machine_only = 1},
    [CELL_BEFORE] = {.name = "before", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .shares_unit = 1},
    [CELL_AFTER] = {.name = "after", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .shares_unit = 1},
    [CELL_CHANGE] = {.name = "change",
                     .kind = ETS_COLUMN_TIME,
                     .shares_unit = 1,
                     .is_signed = 1,
                     .priority = 3},
    [CELL_RATIO] = {.name = "ratio", .title = "%", .kind = ETS_COLUMN_SHARE, .is_signed = 1},
    [CELL_INTERVAL] = {.name = "interval",
                       .title = "95 % interval",
                       .kind = ETS_COLUMN_TIME,
                       .human_only = 1,
                       .shares_unit = 1,
                       .is_signed = 1,
                       .priority = 4},
    [CELL_SHIFT] = {.name = "shift", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_SHIFT_LOW] = {.name = "shift_low", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_SHIFT_HIGH] = {.name = "shift_high", .kind = ETS_COLUMN_TIME, .machine_only = 1},
    [CELL_CONTRIBUTION] = {.name = "contribution", .kind = ETS_COLUMN_SHARE, .machine_only = 1},
    [CELL_P] = {.name = "p", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_P_EXACT] = {.name = "p_is_exact", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_ADJUSTED_P] = {.name = "adjusted_p", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    [CELL_VERDICT] = {.name = "verdict"},
    [CELL_KIND] = {.name = "kind", .title = "what"},
    [CELL_TIE] = {.name = "tie", .machine_only = 1},
    [CELL_SOURCE] = {.name = "source",
                     .kind = ETS_COLUMN_LIST,
                     .least_width = 14,
                     .priority = 2,
                     .cut_at_start = 1,
                     .first_of_list = 1},
    [CELL_MODULE] = {.name = "module",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 5,
                     .least_width = 10,
                     .first_of_list = 1},
    [CELL_DEPTH] = {.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
};

struct filler {
    struct ets_table *table;
    const struct ets_difference *difference;
    struct ets_arena *arena; /* of one block's lines */
    bool no_memory;
};

static void add_columns(struct filler *f, bool has_unit)
{
    bool any_handles = false, any_kind = false;
    for (uint32_t i = 0; i < ets_difference_block_count(f->difference); i++) {
        any_handles |= ets_difference_block(f->difference, i)->by_handles != 0;
    }
    for (uint32_t i = 0; i < ets_difference_line_count(f->difference); i++) {
        any_kind |= ets_difference_line(f->difference, i)->change != ETS_CHANGE_NONE;
    }
    for (int c = 0; c < CELL_COUNT; c++) {
        struct ets_column column = columns[c];
        if (!has_unit && column.kind == ETS_COLUMN_TIME) column.kind = ETS_COLUMN_TICKS;
        if ((c == CELL_SOURCE || c == CELL_MODULE) && !any_handles) column.machine_only = 1;
        if (c == CELL_KIND && !any_kind) column.machine_only = 1;
        ets_table_add_column(f->table, &column);
    }
}

static void put_names(struct filler *f, const struct ets_difference_side *side)
{
    struct ets_text *names = ets_arena_alloc_array(f->arena, side->operator_count, sizeof *names);
    if (names == NULL) {
        f->no_memory = true;
        ets_table_put_nothing(f->table);
        return;
    }
    for (uint32_t i = 0; i < side->operator_count; i++) {
        names[i] = side->block->operators[side->operators[i]].name;
    }
    ets_table_put_list(f->table, names, side->operator_count);
}

/* "addmm.out", "4 operators". */
static size_t print_side(char *buffer, size_t room, const struct ets_difference_side *side)
{
    if (side->operator_count > 1) {
        return ets_print_text(buffer, room, "%u operators", side->operator_count);
    }
    const struct ets_text name = side->block->operators[side->operators[0]].name;
    return ets_print_text(buffer, room, "%.*s", (int)name.size, name.data);
}

/* What people read: "addmm.out", or what became what. */
static void put_name(struct filler *f, const struct ets_difference_line *line)
{
    char text[512];
    if (line->change < ETS_CHANGE_REPLACED) {
        ets_put_pool_operator(f->table, ets_difference_operator(line));
        return;
    }
    size_t size = print_side(text, sizeof text / 2, &line->before);
    size += ets_print_text(text + size, sizeof text - size, " -> ");
    size += print_side(text + size, sizeof text - size, &line->after);
    ets_table_put_text(f->table, (struct ets_text){text, size});
}

static void put_median(struct filler *f, const struct ets_difference_side *side)
{
    const double p50 = side->times.p50;
    if (side->times.count == 0) ets_table_put_nothing(f->table);
    else ets_table_put_bounds(f->table, p50, p50 + side->resolution);
}

static void put_number(struct filler *f, double value)
{
    if (isnan(value)) ets_table_put_nothing(f->table);
    else ets_table_put_real(f->table, value);
}

static void put_interval(struct filler *f, const struct ets_shift *shift)
{
    if (isnan(shift->low)) ets_table_put_nothing(f->table);
    else ets_table_put_bounds(f->table, shift->low, shift->high);
}

/* The part of the total's change. */
static double contribution(const struct filler *f, const struct ets_difference_line *line)
{
    const uint32_t total = ets_difference_block(f->difference, line->block)->total;
    if (total == ETS_NO_INDEX) return NAN;
    const double all = ets_difference_line(f->difference, total)->change_of_median;
    return all == 0 ? NAN : line->change_of_median / all;
}

/* Adds what is not in the list yet; it has room. */
static void add_once(struct ets_text_list *list, const struct ets_text_list *more)
{
    for (size_t i = 0; i < more->count; i++) {
        size_t at = 0;
        while (at < list->count && !ets_text_equal(list->items[at], more->items[i])) at++;
        if (at == list->count) list->items[list->count++] = more->items[i];
    }
}

/* Lines of source and modules of the side that names the line. */
static bool list_places(struct filler *f, const struct ets_difference_line *line,
                        struct ets_text_list *sources, struct ets_text_list *modules)
{
    const struct ets_difference_side *side =
        line->after.operator_count > 0 ? &line->after : &line->before;
    size_t room = 0;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_row *row = side->block->operators[side->operators[i]].row;
        room += row == NULL ? 0 : row->node_count;
    }
    *sources =
        (struct ets_text_list){ets_arena_alloc_array(f->arena, room, sizeof(struct ets_text)), 0};
    *modules =
        (struct ets_text_list){ets_arena_alloc_array(f->arena, room, sizeof(struct ets_text)), 0};
    if (sources->items == NULL || modules->items == NULL) return false;
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_row *row = side->block->operators[side->operators[i]].row;
        struct ets_text_list more_sources, more_modules;
        if (row == NULL) continue;
        if (!ets_operator_row_places(f->arena, row, &more_sources, &more_modules)) return false;
        add_once(sources, &more_sources);
        add_once(modules, &more_modules);
    }
    return true;
}

static void put_word(struct filler *f, const char *word)
{
    ets_table_put_string(f->table, *word == '\0' ? NULL : word);
}

static void put_run_count(struct filler *f, const struct ets_difference_side *side)
{
    ets_table_put_integer(f->table, side->block == NULL ? 0 : side->block->run_count);
}

/* Tells lines of one name apart; a group of operators has the first one's. */
static void put_instruction(struct filler *f, const struct ets_difference_line *line)
{
    const int32_t instruction = ets_difference_instruction(ets_difference_operator(line));
    if (instruction < 0) ets_table_put_nothing(f->table);
    else ets_table_put_integer(f->table, instruction);
}

/* What a delegate's own clock has no answer to; ratios of its ticks are good. */
static bool is_time(enum cell cell)
{
    return columns[cell].kind == ETS_COLUMN_TIME || cell == CELL_CONTRIBUTION;
}

/* The weakest of what ties a delegate's operators to their nodes. */
static void put_tie(struct filler *f, const struct ets_difference_line *line)
{
    const struct ets_difference_side *sides[] = {&line->before, &line->after};
    enum ets_tie tie = ETS_TIE_NONE;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->operator_count; i++) {
            const struct ets_row *row = sides[s]->block->operators[sides[s]->operators[i]].row;
            if (row != NULL && row->tie > tie) tie = row->tie;
        }
    }
    ets_table_put_string(f->table, ets_tie_name(tie));
}

static void put_cell(struct filler *f, enum cell cell, const struct ets_difference_line *line,
                     uint32_t depth, const struct ets_text_list *sources,
                     const struct ets_text_list *modules)
{
    const struct ets_difference_block *block = ets_difference_block(f->difference, line->block);
    const struct ets_pool_block *any = block->after != NULL ? block->after : block->before;
    const bool is_tested = !isnan(line->test.p);
    if (line->has_own_clock && is_time(cell)) {
        ets_table_put_nothing(f->table);
        return;
    }
    switch (cell) {
    case CELL_BLOCK: ets_table_put_text(f->table, any->name); break;
    case CELL_METHOD: ets_table_put_string(f->table, any->method); break;
    case CELL_MATCHED:
        ets_table_put_string(f->table, block->by_handles ? "handles" : "order");
        break;
    case CELL_RUNS_BEFORE: put_run_count(f, &line->before); break;
    case CELL_RUNS_AFTER: put_run_count(f, &line->after); break;
    case CELL_INSTRUCTION: put_instruction(f, line); break;
    case CELL_NAME: put_name(f, line); break;
    case CELL_OPERATORS_BEFORE: put_names(f, &line->before); break;
    case CELL_OPERATORS_AFTER: put_names(f, &line->after); break;
    case CELL_BEFORE: put_median(f, &line->before); break;
    case CELL_AFTER: put_median(f, &line->after); break;
    case CELL_CHANGE: put_number(f, line->change_of_median); break;
    case CELL_RATIO: put_number(f, line->ratio); break;
    case CELL_INTERVAL: put_interval(f, &line->shift); break;
    case CELL_SHIFT: put_number(f, line->shift.estimate); break;
    case CELL_SHIFT_LOW: put_number(f, line->shift.low); break;
    case CELL_SHIFT_HIGH: put_number(f, line->shift.high); break;
    case CELL_CONTRIBUTION: put_number(f, contribution(f, line)); break;
    case CELL_P: put_number(f, line->test.p); break;
    case CELL_P_EXACT:
        if (is_tested) ets_table_put_integer(f->table, line->test.is_exact);
        else ets_table_put_nothing(f->table);
        break;
    case CELL_ADJUSTED_P: put_number(f, line->adjusted_p); break;
    case CELL_VERDICT: put_word(f, ets_verdict_name(line->verdict)); break;
    case CELL_KIND: put_word(f, ets_change_name(line->change)); break;
    case CELL_TIE: put_tie(f, line); break;
    case CELL_SOURCE: ets_table_put_list(f->table, sources->items, sources->count); break;
    case CELL_MODULE: ets_table_put_list(f->table, modules->items, modules->count); break;
    case CELL_DEPTH: ets_table_put_integer(f->table, depth); break;
    case CELL_COUNT: break;
    }
}

static size_t print_runs(char *buffer, size_t room, const struct ets_pool_block *block)
{
    if (block == NULL) return ets_print_text(buffer, room, "none");
    size_t used = ets_print_text(buffer, room, "%u run%s", block->run_count,
                                 block->run_count == 1 ? "" : "s");
    if (block->part_count > 1) {
        used += ets_print_text(buffer + used, room - used, " of %u files", block->part_count);
    }
    return used;
}

static void add_heading(struct filler *f, const struct ets_difference_block *block)
{
    char text[512];
    const struct ets_pool_block *any = block->after != NULL ? block->after : block->before;
    size_t used =
        ets_print_text(text, sizeof text / 2, "%.*s", (int)any->name.size, any->name.data);
    if (any->method != NULL) {
        used += ets_print_text(text + used, sizeof text / 2, " - method %s", any->method);
    }
    used += ets_print_text(text + used, sizeof text - used, " - ");
    used += print_runs(text + used, sizeof text - used, block->before);
    used += ets_print_text(text + used, sizeof text - used, " before, ");
    used += print_runs(text + used, sizeof text - used, block->after);
    used += ets_print_text(text + used, sizeof text - used, " after, matched by %s",
                           block->by_handles ? "debug handles" : "names in order");
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

static bool fill_block(struct filler *f, uint32_t index,
                       const struct ets_difference_order_options *options)
{
    struct ets_shown_lines lines;
    if (!ets_difference_order(f->arena, f->difference, index, options, &lines)) return false;
    if (lines.count > 0) add_heading(f, ets_difference_block(f->difference, index));
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(f->difference, lines.items[i].line);
        struct ets_text_list sources, modules;
        if (!list_places(f, line, &sources, &modules)) return false;
        ets_table_add_row(f->table, lines.items[i].depth);
        for (int c = 0; c < CELL_COUNT; c++) {
            put_cell(f, (enum cell)c, line, lines.items[i].depth, &sources, &modules);
        }
    }
    return !f->no_memory;
}

/* What comes before all verdicts: that there is nothing to compare. */
static void add_agreement(struct filler *f)
{
    char text[256];
    struct ets_agreement agreement;
    ets_difference_agreement(f->difference, &agreement);
    size_t size = 0;
    if (agreement.is_identical) {
        size =
            ets_print_text(text, sizeof text,
                           "identical: both sides are one recording, equal in every run of every "
                           "operator");
    } else if (agreement.is_poor) {
        size = ets_print_text(text, sizeof text,
                              "only %u of %u operators match: these look like different programs, "
                              "whose times do not compare",
                              agreement.matched, agreement.operators);
    }
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){text, size});
}

enum ets_status ets_difference_table_fill(struct ets_table *table,
                                          const struct ets_difference *difference,
                                          const struct ets_difference_order_options *options,
                                          struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    const bool has_unit = ets_difference_unit(difference) != ETS_UNIT_CYCLES;
    struct filler f = {.table = table, .difference = difference, .arena = &arena};
    add_columns(&f, has_unit);
    bool ok = true;
    add_agreement(&f);
    for (uint32_t b = 0; ok && b < ets_difference_block_count(difference); b++) {
        ok = fill_block(&f, b, options);
        ets_arena_reset(&arena);
    }
    return ok ? ETS_OK : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
