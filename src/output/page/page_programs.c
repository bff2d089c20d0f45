/* Finds what a page says of a program that did not run: its memory, size and work. */
#include "base/error.h"
#include "output/page/page_parts.h"
#include "views/cost_lines.h"
#include "views/size_lines.h"

enum { SENTENCE_BYTES = 1024, MOST_COSTS = 4, MOST_SENTENCES = MOST_COSTS + 2 };

static bool add_sentence(struct ets_arena *arena, struct ets_sentences *sentences, const char *text,
                         size_t size)
{
    if (size == 0) return true;
    const char *copy = ets_arena_copy_text(arena, text, size);
    if (copy == NULL) return false;
    sentences->items[sentences->count++] = (struct ets_text){copy, size};
    return true;
}

/* Of the method that takes most, as `memory` says it. */
static bool say_memory(struct ets_page *page, const struct ets_memory_lines *lines,
                       struct ets_sentences *headline)
{
    char text[SENTENCE_BYTES];
    return lines == NULL || add_sentence(&page->document.arena, headline, text,
                                         ets_memory_headline(lines, text, sizeof text));
}

static bool say_size(struct ets_page *page, uint32_t program, struct ets_sentences *headline)
{
    char text[SENTENCE_BYTES];
    struct ets_arena *arena = &page->document.arena;
    struct ets_size_lines lines;
    return ets_size_lines_collect(arena, page->study.byte_maps[program], ETS_SIZE_BY_PART,
                                  &lines) &&
           add_sentence(arena, headline, text, ets_size_headline(&lines, text, sizeof text));
}

static enum ets_status say_work(struct ets_page *page, uint32_t program,
                                struct ets_sentences *headline, struct ets_error *error)
{
    char text[SENTENCE_BYTES];
    uint32_t count = 0;
    struct ets_arena *arena = &page->document.arena;
    const struct ets_delegation *delegation;
    const struct ets_step_costs *costs;
    const struct ets_cost_view_options options = {.group_by = ETS_COST_BY_OP};
    ETS_TRY(ets_study_delegation(&page->study, program, &delegation, error));
    ETS_TRY(ets_study_program_costs(&page->study, program, &costs, error));
    for (uint32_t i = 0; i < ets_delegation_count(delegation) && count < MOST_COSTS; i++) {
        struct ets_cost_lines lines;
        if (ets_delegation_step_at(delegation, i)->instruction != 0) continue;
        count++;
        if (!ets_cost_lines_collect(arena, delegation, costs, i, &options, &lines) ||
            !add_sentence(arena, headline, text,
                          ets_cost_lines_headline(&lines, text, sizeof text))) {
            return ets_fail_memory(error, "the work of the program");
        }
    }
    return ETS_OK;
}

enum ets_status ets_page_say_program(struct ets_page *page, const struct ets_studied_findings *of,
                                     struct ets_page_words *words, struct ets_error *error)
{
    words->findings = of->found;
    words->headline.items =
        ets_arena_alloc_array(&page->document.arena, MOST_SENTENCES, sizeof *words->headline.items);
    if (words->headline.items == NULL || !say_memory(page, of->memory, &words->headline) ||
        !say_size(page, of->program, &words->headline)) {
        return ets_fail_memory(error, "the report's words");
    }
    return say_work(page, of->program, &words->headline, error);
}
