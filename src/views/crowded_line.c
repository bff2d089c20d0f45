/* Finding the line of source that modules would tell apart. */
#include "views/crowded_line.h"

#include "base/error.h"
#include "host/strings.h"
#include "views/operator_lines.h"

static const double LEAST_SHARE = 0.5;
enum { MOST_TRIED = 64 }; /* lines whose modules are counted: stacks of a file may be endless */

static double middle(struct ets_span share)
{
    return (share.lower + share.upper) / 2;
}

/* Modules of the rows, each once; UINT32_MAX where memory ran out. */
static uint32_t count_modules(struct ets_arena *arena, const struct ets_inspection *inspection,
                              const uint32_t *rows, uint32_t row_count)
{
    struct ets_strings names;
    if (ets_strings_init(&names, arena) != 0) return UINT32_MAX;
    for (uint32_t i = 0; i < row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, rows[i]);
        struct ets_text_list sources, modules;
        if (!ets_operator_row_places(arena, row, &sources, &modules)) return UINT32_MAX;
        for (size_t k = 0; k < modules.count; k++) {
            if (ets_strings_add(&names, modules.items[k]) == UINT32_MAX) return UINT32_MAX;
        }
    }
    return names.count - 1; /* without the absent one */
}

bool ets_crowded_line_offer(struct ets_arena *arena, const struct ets_inspection *inspection,
                            const struct ets_crowded_line *offered, const uint32_t *rows,
                            uint32_t row_count, struct ets_crowded_line *line)
{
    if (!(middle(offered->share) >= LEAST_SHARE)) return true;
    if (line->name.data != NULL && middle(line->share) <= middle(offered->share)) return true;
    if (line->tried >= MOST_TRIED) return true;
    const uint32_t tried = line->tried + 1;
    line->tried = tried;
    const uint32_t modules = count_modules(arena, inspection, rows, row_count);
    if (modules == UINT32_MAX) return false;
    if (modules < 2) return true;
    *line = *offered;
    line->module_count = modules;
    line->tried = tried;
    return true;
}

/* "95.7" */
static void print_percent(double share, const char *behind, char text[16])
{
    const unsigned tenths = share < 1 ? (unsigned)(1000 * share + 0.5) : 1000;
    ets_print_text(text, 16, "%u.%u%s", tenths / 10, tenths % 10, behind);
}

size_t ets_crowded_line_print(const struct ets_crowded_line *line,
                              const struct ets_advice_words *words, enum ets_advice advice,
                              char *text, size_t room)
{
    char lower[16] = "", upper[16];
    if (line->name.data == NULL) return 0;
    if (line->share.upper > line->share.lower) print_percent(line->share.lower, "..", lower);
    print_percent(line->share.upper, "", upper);
    const size_t used = ets_print_text(text, room, "%.*s takes %s%s %% of the run, in %u modules",
                                       line->name.size > 256 ? 256 : (int)line->name.size,
                                       line->name.data, lower, upper, line->module_count);
    return used + ets_advise_with(words, advice, text + used, room - used);
}
