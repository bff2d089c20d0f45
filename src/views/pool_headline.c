/* Words the time of several traces of one program. */
#include "views/pool_headline.h"

#include "base/text.h"
#include "inspect/time_details.h"
#include "views/drift_sentence.h"
#include "views/pool_lines.h"
#include "views/sentence_numbers.h"

enum { SENTENCE_BYTES = 512, MOST_METHODS = 4 };

static bool end_sentence(struct ets_arena *arena, struct ets_text_builder *line,
                         struct ets_sentences *out)
{
    const char *copy = ets_arena_copy_text(arena, line->text, line->used);
    if (copy == NULL) return false;
    out->items[out->count++] = (struct ets_text){copy, line->used};
    line->used = 0;
    return true;
}

static void add_name(struct ets_text_builder *line, const struct ets_pool_block *block)
{
    if (block->method != NULL) ets_add_plain_text(line, "%s: ", block->method);
    else ets_add_plain_text(line, "%.*s: ", ETS_TEXT(block->name));
}

/* A sentence that stands before all others; or nothing. */
static bool add_drift(struct ets_arena *arena, const struct ets_pool_block *block,
                      struct ets_sentences *out)
{
    char text[SENTENCE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    add_name(&line, block);
    if (!ets_add_pool_drift(&line, "", block)) return true;
    ets_add_plain_text(&line, ": the median below describes neither");
    return end_sentence(arena, &line, out);
}

/* Nothing of a block that executes nothing. */
static bool add_block(struct ets_arena *arena, const struct ets_pool_block *block, const char *kind,
                      double tick_ns, struct ets_sentences *out)
{
    const struct ets_pool_line_options options = {.by_time = true};
    struct ets_pool_lines lines;
    char text[SENTENCE_BYTES];
    struct ets_text_builder line = {text, sizeof text, 0};
    if (block->total == ETS_NO_INDEX) return true;
    if (ets_text_is(block->operators[block->total].name, "Program::load_method")) return true;
    if (!ets_pool_lines_collect(arena, block, &options, &lines)) return false;
    const struct ets_pool_line *total = NULL;
    for (uint32_t i = 0; i < lines.count; i++) {
        if (lines.items[i].index == block->total) total = &lines.items[i];
    }
    if (total == NULL || total->times.count == 0) return true;
    const struct ets_statistics *t = &total->times;
    const double scale = ets_time_scale(t->p50, tick_ns);
    if (!add_drift(arena, block, out)) return false;
    add_name(&line, block);
    ets_add_time_in(&line, (struct ets_span){t->p50, t->p50}, tick_ns, scale);
    ets_add_text(&line, " per run (median of %u run%s%s of %u file%s, p10 to p90 ", t->count,
                 t->count == 1 ? "" : "s", kind, block->part_count,
                 block->part_count == 1 ? "" : "s");
    ets_add_time_in(&line, (struct ets_span){t->p10, t->p90}, tick_ns, scale);
    ets_add_text(&line, ")");
    if (block->part_count > 1) {
        ets_add_text(&line, "; medians of the files ");
        ets_add_time_in(&line, (struct ets_span){total->file_min, total->file_max}, tick_ns, scale);
    }
    return end_sentence(arena, &line, out);
}

bool ets_pool_headline(struct ets_arena *arena, const struct ets_pool *pool,
                       struct ets_sentences *headline_out)
{
    const enum ets_time_unit unit = ets_pool_unit(pool);
    const double tick_ns = unit == ETS_UNIT_CYCLES ? 0 : 1e9 / ets_time_unit_per_second(unit);
    *headline_out = (struct ets_sentences){
        ets_arena_alloc_array(arena, 2 * MOST_METHODS + 1, sizeof *headline_out->items), 0};
    struct ets_pool_kinds kinds;
    if (headline_out->items == NULL || !ets_pool_kinds_find(arena, pool, &kinds)) return false;
    for (uint32_t b = 0;
         b < ets_pool_block_count(pool) && headline_out->count < 2 * MOST_METHODS - 1; b++) {
        if (!add_block(arena, ets_pool_block(pool, b), ets_pool_block_kind(&kinds, b), tick_ns,
                       headline_out))
            return false;
    }
    return true;
}
