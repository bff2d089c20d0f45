/* Chooses what stays of a text that is wider than its column. */
#include "output/table/cell_cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"
#include "output/text/character_width.h"

/* Of a tail of a path what begins with a whole name, "/b.py:3", where a slash is in it. */
static size_t from_slash(const char *data, size_t size, size_t tail)
{
    const char *slash = memchr(data + size - tail, '/', tail);
    return slash == NULL ? tail : (size_t)(data + size - slash);
}

struct ets_cell_cut ets_cell_cut(const struct ets_shown_column *shown, const char *data,
                                 size_t size, uint32_t room)
{
    const uint32_t most = room > 2 * ETS_KEPT_TAIL ? room - 4 : room / 3;
    const uint32_t end = shown->tail < most ? shown->tail : most;
    const uint32_t kept = shown->column->cut_at_start    ? room - 1
                          : shown->column->cut_in_middle ? end
                                                         : 0;
    const size_t longest = ets_text_tail(data, size, kept);
    return (struct ets_cell_cut){
        .head = ets_text_head(data, size, room - 1 - kept),
        .tail = shown->column->cut_at_start ? from_slash(data, size, longest) : longest};
}

struct ets_cut_text ets_cut_text_of(const struct ets_shown_column *shown, const char *data,
                                    size_t size, uint32_t room)
{
    if (room == 0 || ets_text_columns(data, size) <= room) return (struct ets_cut_text){0, 0};
    const struct ets_cell_cut cut = ets_cell_cut(shown, data, size, room);
    const struct ets_bytes all = {(const uint8_t *)data, size},
                           head = {(const uint8_t *)data, cut.head},
                           tail = {(const uint8_t *)data + size - cut.tail, cut.tail};
    return (struct ets_cut_text){.whole = ets_xxh64_of(all) | 1,
                                 .cut = ets_xxh64_of(head) * 31 + ets_xxh64_of(tail) + room};
}

static int compare_texts(const void *left, const void *right)
{
    const struct ets_cut_text *a = left, *b = right;
    if (a->cut != b->cut) return a->cut < b->cut ? -1 : 1;
    return (a->whole > b->whole) - (a->whole < b->whole);
}

uint32_t ets_count_alike(struct ets_cut_text *texts, uint32_t count)
{
    uint32_t alike = 0;
    if (count > 0) qsort(texts, count, sizeof *texts, compare_texts);
    for (uint32_t i = 1; i < count; i++) {
        alike += texts[i].cut == texts[i - 1].cut && texts[i].whole != texts[i - 1].whole;
    }
    return alike;
}
