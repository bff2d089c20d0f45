/* Chooses the block that a picture shows, and words what it shows. */
#include "output/picture/plot.h"

#include "base/error.h"
#include "views/headline.h"
#include "views/sentence_numbers.h"

enum { NAME_BYTES = 160 };

static bool add_headline(struct ets_plot *plot, uint32_t most)
{
    struct ets_sentences sentences;
    const struct ets_headline_options options = {
        .block = plot->block->block, .run = plot->options->run, .steady = plot->options->steady};
    if (!ets_headline_make(&plot->arena, plot->inspection, &options, &sentences)) return false;
    for (uint32_t i = 0; i < sentences.count && i < most; i++) {
        ets_add_text(&plot->headline, "%s%.*s", i > 0 ? ". " : "", ETS_TEXT(sentences.items[i]));
    }
    return true;
}

enum ets_status ets_plot_open(struct ets_plot *plot, const struct ets_inspection *inspection,
                              const struct ets_plot_options *options, uint32_t sentences,
                              const struct ets_allocator *allocator, struct ets_error *error)
{
    *plot = (struct ets_plot){.inspection = inspection, .options = options};
    plot->headline = (struct ets_text_builder){plot->headline_room, sizeof plot->headline_room, 0};
    ets_arena_init(&plot->arena, allocator, 0);
    if (!ets_timed_blocks_find(&plot->arena, inspection, options->block, options->run,
                               options->steady, &plot->blocks)) {
        return ets_fail_memory(error, "the blocks of a picture");
    }
    if (plot->blocks.count == 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "no run executed a method: there is nothing to draw");
    }
    plot->block = &plot->blocks.items[0];
    plot->tick_ns = plot->blocks.tick_ns;
    if (!add_headline(plot, sentences)) return ets_fail_memory(error, "a picture's headline");
    return ETS_OK;
}

void ets_plot_close(struct ets_plot *plot)
{
    ets_arena_reset(&plot->arena);
}

void ets_plot_title(const struct ets_plot *plot, struct ets_text_builder *title,
                    struct ets_text name, struct ets_span ticks, const struct ets_span *share)
{
    char cut[NAME_BYTES];
    struct ets_text_builder shown = {cut, sizeof cut, 0};
    ets_add_shown_text(&shown, name);
    ets_add_text(title, "%s: ", cut);
    ets_add_time(title, ticks, plot->tick_ns);
    if (share == NULL) return;
    ets_add_text(title, " (");
    ets_add_share(title, *share);
    ets_add_text(title, ")");
}
