/* Cleans texts, and keeps each once. */
#include "output/export/export_texts.h"

uint32_t ets_export_text_number(const struct ets_export *export, struct ets_strings *texts,
                                struct ets_text text, struct ets_text *added_out)
{
    struct ets_text clean = ets_export_clean_text(export->scratch, text);
    uint32_t number = UINT32_MAX;
    if (added_out != NULL) *added_out = (struct ets_text){NULL, 0};
    if (clean.data == NULL) return UINT32_MAX;
    number = ets_strings_find(texts, clean);
    if (number == UINT32_MAX) {
        clean.data = ets_arena_copy_text(export->arena, clean.data, clean.size);
        if (clean.data != NULL) number = ets_strings_add(texts, clean);
        if (number != UINT32_MAX && added_out != NULL) *added_out = clean;
    }
    ets_arena_reset(export->scratch);
    return number;
}
