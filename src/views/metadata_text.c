/* Reads the metadata that delegates attached to a row's events, as text. */
#include "views/metadata_text.h"

#include "base/error.h"
#include "etscope/base.h"
#include "host/strings.h"

enum { MOST_BYTES = 4096 }; /* as names have */

static bool is_text(struct ets_text text)
{
    for (size_t i = 0, length; i < text.size; i += length) {
        const bool is_space = text.data[i] == '\t' || text.data[i] == '\n';
        length = is_space ? 1 : ets_plain_length(text.data + i, text.size - i);
        if (length == 0) return false;
    }
    return text.size > 0 && text.size <= MOST_BYTES;
}

/* data NULL: no memory. */
static struct ets_text text_of(struct ets_arena *arena, struct ets_bytes metadata)
{
    char size[32];
    struct ets_text text = {(const char *)metadata.data, metadata.size};
    const bool is_number = text.size == 1; /* texts end in NUL, or are longer */
    if (text.data[text.size - 1] == '\0') text.size--;
    if (!is_number && is_text(text)) return text;
    text.size =
        metadata.size == 1
            ? ets_print_text(size, sizeof size, "(byte %u)", metadata.data[0])
            : ets_print_text(size, sizeof size, "(%llu bytes)", (unsigned long long)metadata.size);
    text.data = ets_arena_copy_text(arena, size, text.size);
    return text;
}

bool ets_row_metadata(struct ets_arena *arena, const struct ets_inspection *inspection,
                      uint32_t row, const struct ets_chosen_runs *runs, struct ets_text_list *out)
{
    const uint32_t *events, calls = ets_inspection_row(inspection, row)->calls_per_run;
    uint32_t count;
    struct ets_strings texts = {.count = 0};
    *out = (struct ets_text_list){NULL, 0};
    ets_inspection_row_events(inspection, row, &events, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_bytes metadata = ets_inspection_metadata(inspection, events[i]);
        const uint32_t run = runs == NULL ? 0 : i / calls - runs->first;
        if (metadata.size == 0 || (runs != NULL && run >= runs->count)) continue;
        if (texts.count == 0 && ets_strings_init(&texts, arena) != 0) return false;
        const struct ets_text text = text_of(arena, metadata);
        if (text.data == NULL || ets_strings_add(&texts, text) == UINT32_MAX) return false;
    }
    if (texts.count > 0) *out = (struct ets_text_list){texts.texts + 1, texts.count - 1};
    return true;
}
