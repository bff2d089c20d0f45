/*
 * Splits a source file into lines, checks that it is unchanged since the export, and finds the
 * functions to show.
 */
#include "output/table/source_text.h"

#include <string.h>

#include "base/text.h"

static struct ets_text without_end(struct ets_text line)
{
    while (line.size > 0 && strchr(" \t\r\f", line.data[line.size - 1]) != NULL) line.size--;
    return line;
}

static uint32_t indent_of(struct ets_text line)
{
    uint32_t indent = 0;
    while (indent < line.size && (line.data[indent] == ' ' || line.data[indent] == '\t')) indent++;
    return indent;
}

static struct ets_text stripped(struct ets_text line)
{
    const uint32_t indent = indent_of(line);
    return without_end((struct ets_text){line.data + indent, line.size - indent});
}

bool ets_source_text_split(struct ets_arena *arena, struct ets_bytes text,
                           struct ets_source_text *source_out)
{
    const char *data = (const char *)text.data;
    uint32_t count = 0;
    for (size_t i = 0; i < text.size; i++) count += data[i] == '\n';
    if (text.size > 0 && data[text.size - 1] != '\n') count++;
    *source_out = (struct ets_source_text){
        .lines = ets_arena_alloc_array(arena, count, sizeof *source_out->lines),
        .is_shown = ets_arena_alloc_array(arena, count, 1),
    };
    if (source_out->lines == NULL || source_out->is_shown == NULL) return false;
    size_t start = 0;
    while (source_out->count < count) {
        size_t end = start;
        while (end < text.size && data[end] != '\n') end++;
        source_out->lines[source_out->count++] =
            without_end((struct ets_text){data + start, end - start});
        start = end + 1;
    }
    return true;
}

enum ets_source_match ets_source_text_compare(const struct ets_source_text *source,
                                              const struct ets_graph_frame *frame)
{
    if (frame->code.size == 0 || frame->line == 0) return ETS_SOURCE_UNKNOWN;
    if (frame->line > source->count) return ETS_SOURCE_DIFFERS;
    const struct ets_text line = stripped(source->lines[frame->line - 1]);
    return ets_text_equal(line, stripped(frame->code)) ? ETS_SOURCE_AGREES : ETS_SOURCE_DIFFERS;
}

const struct ets_graph_frame *ets_source_text_difference(const struct ets_source_text *source,
                                                         const struct ets_place *places,
                                                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_graph_frame *frame = places[i].frame;
        if (ets_source_text_compare(source, frame) != ETS_SOURCE_AGREES) return frame;
    }
    return NULL;
}

static void show_range(struct ets_source_text *source, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last && i < source->count; i++) source->is_shown[i] = 1;
}

static bool starts_function(struct ets_text line)
{
    const struct ets_text code = stripped(line);
    return ets_text_starts_with(code, "def ") || ets_text_starts_with(code, "async def ");
}

/* By indentation, as Python does: from the `def` above to the last line that is further in. */
static void show_function(struct ets_source_text *source, uint32_t at)
{
    enum { CONTEXT = 2 }; /* of lines in no function */
    const uint32_t inside = indent_of(source->lines[at]);
    uint32_t first = at;
    while (first > 0 &&
           !(starts_function(source->lines[first]) && indent_of(source->lines[first]) < inside)) {
        first--;
    }
    const uint32_t outside = indent_of(source->lines[first]);
    if (!starts_function(source->lines[first]) || outside >= inside) {
        show_range(source, at < CONTEXT ? 0 : at - CONTEXT, at + CONTEXT);
        return;
    }
    uint32_t last = at;
    for (uint32_t i = at + 1; i < source->count; i++) {
        if (stripped(source->lines[i]).size == 0) continue;
        if (indent_of(source->lines[i]) <= outside) break;
        last = i;
    }
    show_range(source, first, last);
}

void ets_source_text_show(struct ets_source_text *source,
                          const struct ets_annotate_options *options, uint32_t line)
{
    if (line == 0 || line > source->count) return;
    const uint32_t at = line - 1, context = options->context;
    switch (options->lines) {
    case ETS_LINES_COUNTED: source->is_shown[at] = 1; break;
    case ETS_LINES_ALL: show_range(source, 0, source->count - 1); break;
    case ETS_LINES_CONTEXT:
        show_range(source, at < context ? 0 : at - context,
                   context < source->count - at ? at + context : source->count - 1);
        break;
    case ETS_LINES_FUNCTIONS:
        if (!source->is_shown[at]) show_function(source, at);
        break;
    }
}
