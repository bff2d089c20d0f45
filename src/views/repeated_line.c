/* Finds a source line that hides several modules. */
#include "views/repeated_line.h"

#include "base/error.h"
#include "host/key_table.h"
#include "host/text_builder.h"
#include "views/sentence_numbers.h"

static const double LEAST_SHARE = 0.5;
enum { MOST_TRIED = 64 }; /* lines whose modules are counted: stacks of a file may be endless */

static double middle(struct ets_span share)
{
    return (share.lower + share.upper) / 2;
}

/* Modules of the rows, each once; UINT32_MAX where memory ran out. */
static uint32_t count_modules(struct ets_arena *arena, const struct ets_inspection *inspection,
                              struct ets_places *places, const uint32_t *rows, uint32_t row_count)
{
    struct ets_key_table different;
    ets_key_table_init(&different, arena, 1);
    for (uint32_t i = 0; i < row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, rows[i]);
        struct ets_numbers lines, modules;
        if (!ets_places_of_row(places, row, &lines, &modules)) return UINT32_MAX;
        for (uint32_t k = 0; k < modules.count; k++) {
            const uint64_t module = modules.items[k];
            if (ets_key_table_add(&different, &module) == ETS_KEY_NONE) return UINT32_MAX;
        }
    }
    return different.count;
}

bool ets_repeated_line_offer(struct ets_arena *arena, const struct ets_inspection *inspection,
                             struct ets_places *places, const struct ets_repeated_line *offered,
                             const uint32_t *rows, uint32_t row_count,
                             struct ets_repeated_line *line)
{
    if (!(middle(offered->share) >= LEAST_SHARE)) return true;
    if (line->frame != NULL && middle(line->share) <= middle(offered->share)) return true;
    if (line->tried >= MOST_TRIED) return true;
    const uint32_t tried = line->tried + 1;
    line->tried = tried;
    const uint32_t modules = count_modules(arena, inspection, places, rows, row_count);
    if (modules == UINT32_MAX) return false;
    if (modules < 2) return true;
    *line = *offered;
    line->module_count = modules;
    line->tried = tried;
    return true;
}

/* "95.7" */
static void print_percent(double share, char text[16])
{
    const unsigned tenths = share < 1 ? (unsigned)(1000 * share + 0.5) : 1000;
    ets_print_text(text, 16, "%u.%u", tenths / 10, tenths % 10);
}

size_t ets_repeated_line_print(const struct ets_repeated_line *line,
                               const struct ets_advice_words *words, enum ets_advice advice,
                               char *text, size_t room)
{
    char lower[16], upper[16];
    struct ets_text_builder note = {text, room, 0};
    if (line->frame == NULL) return 0;
    print_percent(line->share.lower, lower);
    print_percent(line->share.upper, upper);
    const struct ets_text name = line->frame->place;
    ets_add_plain_text(&note, "%.*s takes ", name.size > 256 ? 256 : (int)name.size, name.data);
    ets_add_range(&note, lower, upper);
    ets_add_plain_text(&note, " %% of the run, in %u modules", line->module_count);
    ets_add_advice(&note, words, advice);
    return note.used;
}
