/* A memory plan as a map of letters: lifetimes against offsets. */
#include "output/text/memory_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/arena.h"
#include "host/text_builder.h"

enum {
    ROWS = 16,
    LEFT = 12,           /* characters before the map */
    CELLS_OF_A_STEP = 6, /* at most */
    LEAST_WIDTH = 40,
    MOST_WIDTH = 240,
    LETTERS = 12 /* each is in the legend */
};

struct entry {
    uint64_t bytes;
    uint32_t line;
};

struct map {
    struct ets_output *output;
    const struct ets_memory_lines *lines;
    const struct ets_memory_map_style *style;
    struct entry *entries; /* [lines->count] of one arena, largest first */
    uint32_t entry_count;
    char *letter_of; /* [lines->count] */
    uint32_t columns;
};

static int by_bytes(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Gives the tensors of an arena their letters; views show what has one. */
static void name_tensors(struct map *m, uint32_t arena)
{
    m->entry_count = 0;
    for (uint32_t i = 0; i < m->lines->count; i++) {
        const struct ets_plan_tensor *tensor = m->lines->items[i].tensor;
        if (tensor->arena != arena || tensor->bytes == 0) continue;
        if (tensor->first == ETS_PLAN_NONE || tensor->base != ETS_PLAN_NONE) continue;
        m->entries[m->entry_count++] = (struct entry){tensor->bytes, i};
    }
    if (m->entry_count > 1) qsort(m->entries, m->entry_count, sizeof *m->entries, by_bytes);
    for (uint32_t i = 0; i < m->entry_count; i++) {
        m->letter_of[m->entries[i].line] = i < LETTERS ? (char)('A' + (int)i) : '+';
    }
}

static uint32_t step_of(const struct map *m, uint32_t column)
{
    return (uint32_t)((uint64_t)column * m->lines->plan->step_count / m->columns);
}

/* The step of a column in which the most is live. */
static uint32_t fullest_step(const struct map *m, const struct ets_plan_arena *arena,
                             uint32_t column)
{
    uint32_t fullest = step_of(m, column);
    for (uint32_t s = fullest + 1; s < step_of(m, column + 1); s++) {
        if (arena->live[s] > arena->live[fullest]) fullest = s;
    }
    return fullest;
}

static char cell(const struct map *m, uint32_t step, uint64_t at)
{
    for (uint32_t i = 0; i < m->entry_count; i++) {
        const struct ets_plan_tensor *tensor = m->lines->items[m->entries[i].line].tensor;
        if (!ets_plan_is_live(tensor, step)) continue;
        if (tensor->offset <= at && at < tensor->offset + tensor->bytes) {
            return m->letter_of[m->entries[i].line];
        }
    }
    return '.';
}

static void put_row(const struct map *m, const struct ets_plan_arena *arena, uint32_t row)
{
    char label[32] = "", cells[MOST_WIDTH + 1];
    struct ets_text_builder size = {label, sizeof label, 0};
    const uint64_t band = arena->planned.bytes / ROWS;
    if (row % 4 == 0) ets_add_bytes(&size, arena->planned.bytes / ROWS * row);
    for (uint32_t c = 0; c < m->columns; c++) {
        cells[c] = cell(m, fullest_step(m, arena, c), band * row + band / 2);
    }
    ets_output_print(m->output, "%*s |%.*s\n", LEFT - 2, label, (int)m->columns, cells);
}

/* Numbers of instructions below the columns where they begin: 1, 2 or 5 times a power of ten apart,
 * with room between them. */
static void put_steps(const struct map *m)
{
    char line[MOST_WIDTH + 1];
    const uint32_t steps = m->lines->plan->step_count;
    uint32_t used = 0, room = 4;
    uint64_t apart = 1;
    for (uint32_t rest = steps; rest >= 10; rest /= 10) room++;
    for (uint32_t i = 0; steps / apart * room > m->columns; i++) {
        apart = i % 3 == 1 ? apart / 2 * 5 : apart * 2;
    }
    for (uint64_t step = 0; step < steps; step += apart) {
        uint32_t column = (uint32_t)(step * m->columns / steps);
        while (step_of(m, column) < step) column++;
        if (column + room - 3 > m->columns) break;
        while (used < column) line[used++] = ' ';
        struct ets_text_builder number = {line + used, sizeof line - used, 0};
        ets_add_text(&number, "%" PRIu64, step);
        used += (uint32_t)number.used;
    }
    ets_output_print(m->output, "%*s %.*s\n", LEFT - 1, "instruction", (int)used, line);
}

static void put_levels(const struct map *m, const struct ets_plan_arena *arena)
{
    static const char *const blocks[] = {" ",
                                         "\xe2\x96\x81",
                                         "\xe2\x96\x82",
                                         "\xe2\x96\x83",
                                         "\xe2\x96\x84",
                                         "\xe2\x96\x85",
                                         "\xe2\x96\x86",
                                         "\xe2\x96\x87",
                                         "\xe2\x96\x88"};
    static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    ets_output_print(m->output, "%*s  ", LEFT - 2, "in use");
    for (uint32_t c = 0; c < m->columns; c++) {
        const uint64_t live = arena->live[fullest_step(m, arena, c)];
        const double part = (double)live / (double)arena->planned.bytes;
        const int level = live == 0 ? 0 : 1 + (int)(part * 7 + 0.5);
        ets_output_print(m->output, "%s", m->style->ascii ? plain[level] : blocks[level]);
    }
    ets_output_print(m->output, "\n");
}

static void put_peak(const struct map *m, const struct ets_plan_arena *arena)
{
    char text[32], note[80];
    struct ets_text_builder size = {text, sizeof text, 0}, before = {note, sizeof note, 0};
    uint32_t column = 0;
    if (arena->peak_step == ETS_PLAN_NONE) return;
    while (column + 1 < m->columns && step_of(m, column + 1) <= arena->peak_step) column++;
    while (column > 0 && step_of(m, column - 1) == arena->peak_step) column--;
    ets_add_text(&size, "%s", ets_plan_at_most(m->lines->plan));
    ets_add_bytes(&size, arena->peak_bytes);
    ets_add_text(&before, "%s at instruction %" PRIu32 " ", text, arena->peak_step);
    if (column < m->columns / 2 || before.used > column) {
        ets_output_print(m->output, "%*s  %*s^ %.*s\n", LEFT - 2, "peak", (int)column, "",
                         (int)before.used - 1, note);
        return;
    }
    ets_output_print(m->output, "%*s  %*s^\n", LEFT - 2, "peak", (int)column, note);
}

static void put_legend(const struct map *m)
{
    for (uint32_t i = 0; i < m->entry_count && i < LETTERS; i++) {
        const struct ets_memory_line *line = &m->lines->items[m->entries[i].line];
        char text[512], bytes[32];
        struct ets_text_builder said = {text, sizeof text, 0}, size = {bytes, sizeof bytes, 0};
        ets_add_bytes(&size, line->tensor->bytes);
        ets_add_plain_text(&said, "%c  %10s  value %" PRIu32 " (%s)",
                           m->letter_of[m->entries[i].line], bytes, line->tensor->value,
                           ets_plan_kind_name(line->tensor->kind));
        if (line->producer.size > 0) ets_add_plain_text(&said, " %.*s", ETS_TEXT(line->producer));
        if (line->sources.count > 0) {
            ets_add_plain_text(&said, " %.*s", ETS_TEXT(line->sources.items[0]));
        }
        if (line->modules.count > 0) {
            ets_add_plain_text(&said, " %.*s", ETS_TEXT(line->modules.items[0]));
        }
        ets_output_print(m->output, "%s", text);
        ets_output_print(m->output, "\n");
    }
    if (m->entry_count > LETTERS)
        ets_output_print(m->output, "+  %" PRIu32 " more\n", m->entry_count - LETTERS);
}

static void put_arena(struct map *m, uint32_t number)
{
    char text[32];
    struct ets_text_builder size = {text, sizeof text, 0};
    const struct ets_plan_arena *arena = &m->lines->plan->arenas[number];
    if (arena->live == NULL || arena->planned.bytes < ROWS) return;
    name_tensors(m, number);
    ets_add_bytes(&size, arena->planned.bytes);
    ets_output_print(m->output, "\nmemory %" PRIu32 ", %s; instructions 0 to %" PRIu32 "\n",
                     arena->planned.memory_id, text, m->lines->plan->step_count - 1);
    for (uint32_t row = ROWS; row-- > 0;) put_row(m, arena, row);
    put_steps(m);
    put_levels(m, arena);
    put_peak(m, arena);
    ets_output_print(m->output, "\n");
    put_legend(m);
}

static void choose_columns(struct map *m)
{
    uint32_t width = m->style->width == 0 ? 80 : m->style->width;
    if (width < LEAST_WIDTH) width = LEAST_WIDTH;
    if (width > MOST_WIDTH) width = MOST_WIDTH;
    const uint32_t steps = m->lines->plan->step_count;
    m->columns = width - LEFT;
    if (steps < m->columns) {
        const uint32_t cells = m->columns / steps;
        m->columns = steps * (cells < CELLS_OF_A_STEP ? cells : CELLS_OF_A_STEP);
    }
}

enum ets_status ets_memory_map_write(const struct ets_memory_lines *lines,
                                     const struct ets_memory_map_style *style,
                                     const struct ets_allocator *allocator,
                                     struct ets_output *output, struct ets_error *error)
{
    char text[1024];
    struct ets_arena arena;
    struct map m = {.output = output, .lines = lines, .style = style};
    ets_arena_init(&arena, allocator, 0);
    m.entries = ets_arena_alloc_array(&arena, lines->count, sizeof *m.entries);
    m.letter_of = ets_arena_alloc_array(&arena, lines->count, 1);
    const bool ok = m.entries != NULL && m.letter_of != NULL;
    if (ok) {
        const size_t size = ets_memory_headline(lines, text, sizeof text);
        choose_columns(&m);
        ets_output_write(output, text, size);
        ets_output_print(output, "\n");
        for (uint32_t a = 0; a < lines->plan->arena_count; a++) put_arena(&m, a);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the map of a memory plan");
}
