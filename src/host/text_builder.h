/*
 * Builds text in the caller's buffer. If the buffer is full, the text ends with a whole character,
 * and later text is ignored.
 *
 *     char text[256];
 *     struct ets_text_builder line = {text, sizeof text, 0};
 *     ets_add_text(&line, "%.*s takes %.1f %%", ETS_TEXT(name), percent);
 *     use(ets_built_text(&line));
 *
 * Formats are those of printf. The text ends in NUL.
 */
#ifndef ETSCOPE_HOST_TEXT_BUILDER_H
#define ETSCOPE_HOST_TEXT_BUILDER_H

#include "etscope/base.h"

struct ets_text_builder {
    char *text;
    size_t room, used;
};

void ets_add_text(struct ets_text_builder *builder, const char *format, ...) ETS_PRINTF(2, 3);

/*
 * The same for sentences with names from untrusted files: control characters become '?', and so do
 * line breaks, unless the format itself has some.
 */
void ets_add_plain_text(struct ets_text_builder *builder, const char *format, ...) ETS_PRINTF(2, 3);

/* Adds text from a file. Characters that are not safe to print become \x1b. */
void ets_add_shown_text(struct ets_text_builder *builder, struct ets_text text);

/* "512 B", "1.5 KiB" */
void ets_add_bytes(struct ets_text_builder *builder, uint64_t bytes);

static inline struct ets_text ets_built_text(const struct ets_text_builder *builder)
{
    return (struct ets_text){builder->text, builder->used};
}

#endif
