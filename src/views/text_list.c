/* Lists of different texts, such as the source lines or modules of a row. */
#include <string.h>

#include "views/operator_lines.h"

void ets_text_list_add(struct ets_text_list *list, struct ets_text text)
{
    if (text.data == NULL) return;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].size == text.size &&
            memcmp(list->items[i].data, text.data, text.size) == 0) {
            return;
        }
    }
    list->items[list->count++] = text;
}

/* "blocks.py:35, blocks.py:53": rows of several lines or modules are a group of their own. */
bool ets_text_list_join(struct ets_arena *arena, const struct ets_text_list *list,
                        struct ets_text *out)
{
    *out = (struct ets_text){"(not in the record)", 19};
    if (list->count == 0) return true;
    size_t room = 1, used = 0;
    for (size_t i = 0; i < list->count; i++) room += list->items[i].size + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) memcpy(text + used, ", ", 2);
        used += i > 0 ? 2 : 0;
        if (list->items[i].size > 0) memcpy(text + used, list->items[i].data, list->items[i].size);
        used += list->items[i].size;
    }
    *out = (struct ets_text){text, used};
    return true;
}
