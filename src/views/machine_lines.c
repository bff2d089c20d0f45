/* The lines of a measured machine, and their answer in a sentence. */
#include "views/machine_lines.h"

#include <math.h>
#include <stdlib.h>

static bool is_of(const struct ets_machine_line *line, const struct ets_roof *roof,
                  enum ets_memory_level level)
{
    return line->roof->program == roof->program && line->roof->threads == roof->threads &&
           line->level == level;
}

static int compare(const void *left_pointer, const void *right_pointer)
{
    const struct ets_machine_line *left = left_pointer, *right = right_pointer;
    const struct ets_roof *a = left->roof, *b = right->roof;
    if (a->threads != b->threads) return a->threads < b->threads ? -1 : 1;
    if (a->program != b->program) return a->program < b->program ? -1 : 1;
    return left->level < right->level ? -1 : left->level > right->level;
}

/* The level that a roof is of: a product has none, as its bytes do not limit it. */
static enum ets_memory_level level_of(const struct ets_machine *machine,
                                      const struct ets_roof *roof)
{
    if (ets_roof_kind(roof->program) != ETS_ROOF_BANDWIDTH) return ETS_LEVEL_UNKNOWN;
    return ets_machine_level(machine, roof->working_set_bytes, roof->threads);
}

/*
 * Whether a roof is to stand for the line: the one with the best rate, but of what lies in memory
 * the one with the largest vectors, as the last cache keeps a part of others.
 */
static bool stands_for(const struct ets_machine_line *line, const struct ets_roof *roof)
{
    const bool is_cached = line->level < ETS_LEVEL_MEMORY;
    if (line->rate > 0 && ets_roof_kind(roof->program) == ETS_ROOF_BANDWIDTH && !is_cached &&
        roof->working_set_bytes != line->roof->working_set_bytes) {
        return roof->working_set_bytes > line->roof->working_set_bytes;
    }
    return ets_roof_rate(roof) > line->rate;
}

bool ets_machine_lines_collect(struct ets_arena *arena, const struct ets_machine *machine,
                               struct ets_machine_lines *lines_out)
{
    struct ets_machine_line *items =
        ets_arena_alloc_array(arena, machine->roof_count, sizeof *items);
    *lines_out = (struct ets_machine_lines){items, 0};
    if (items == NULL) return false;
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        const struct ets_roof *roof = &machine->roofs[i];
        const enum ets_memory_level level = level_of(machine, roof);
        uint32_t at = 0;
        while (at < lines_out->count && !is_of(&items[at], roof, level)) at++;
        struct ets_machine_line *line = &items[at];
        if (at == lines_out->count) {
            lines_out->count++;
            *line = (struct ets_machine_line){roof, level, 0, 0};
        }
        line->roof_count++;
        if (!stands_for(line, roof)) continue;
        line->roof = roof;
        line->rate = ets_roof_rate(roof);
    }
    qsort(items, lines_out->count, sizeof *items, compare);
    return true;
}

static void add_comma(struct ets_text_builder *text)
{
    if (text->used > 0) ets_add_text(text, ", ");
}

/* "224 GFLOP/s", "1,200 GOP/s": three digits, more where there are more before the point. */
static void add_rate(struct ets_text_builder *text, double rate, const char *unit)
{
    const double giga = rate / 1e9;
    ets_add_text(text, "%.*f G%s", giga < 9.995 ? 2 : giga < 99.95 ? 1 : 0, giga, unit);
}

void ets_machine_headline(const struct ets_machine *machine, struct ets_text_builder *text)
{
    static const enum ets_roof_program products[] = {ETS_ROOF_FLOAT32, ETS_ROOF_INT8};
    const uint32_t threads = ets_machine_most_threads(machine);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const double rate = ets_machine_compute(machine, products[i], threads);
        if (isnan(rate)) continue;
        add_comma(text);
        ets_add_text(text, "%s ", ets_roof_program_name(products[i]));
        add_rate(text, rate, products[i] == ETS_ROOF_INT8 ? "OP/s" : "FLOP/s");
    }
    const double bytes = ets_machine_bandwidth(machine, UINT64_MAX, threads, false);
    if (!isnan(bytes)) {
        add_comma(text);
        ets_add_text(text, "memory ");
        add_rate(text, bytes, "B/s");
    }
    if (text->used == 0) return;
    ets_add_text(text, " with %u thread%s", threads, threads == 1 ? "" : "s");
    const double kernel = ets_machine_call_ns(machine, ETS_ROOF_KERNEL, threads);
    const double call = ets_machine_call_ns(machine, ETS_ROOF_DELEGATE, threads);
    if (!isnan(kernel)) ets_add_text(text, "; an empty kernel takes %.2f us", kernel / 1e3);
    if (!isnan(call)) ets_add_text(text, "; an empty delegate call %.2f us", call / 1e3);
}
