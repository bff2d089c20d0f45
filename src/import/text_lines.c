/* Lines and fields of texts, as views. */
#include "import/text_lines.h"

bool ets_next_line(struct ets_bytes text, size_t *at, struct ets_text *line_out)
{
    if (*at >= text.size) return false;
    const char *start = (const char *)text.data + *at;
    const char *end = memchr(start, '\n', text.size - *at);
    const size_t size = end == NULL ? text.size - *at : (size_t)(end - start);
    *at += size + (end != NULL); /* never behind the end: errors tell this place */
    *line_out = (struct ets_text){start, size > 0 && start[size - 1] == '\r' ? size - 1 : size};
    return true;
}

struct ets_text ets_trim(struct ets_text text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t')) {
        text = (struct ets_text){text.data + 1, text.size - 1};
    }
    while (text.size > 0 && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t')) {
        text.size--;
    }
    return text;
}

bool ets_take_last(struct ets_text *line, const char *separator, struct ets_text *field_out)
{
    const size_t size = strlen(separator);
    for (size_t at = line->size; at >= size; at--) {
        if (memcmp(line->data + at - size, separator, size) != 0) continue;
        *field_out = (struct ets_text){line->data + at, line->size - at};
        line->size = at - size;
        return true;
    }
    return false;
}

bool ets_take_last_column(struct ets_text *line, struct ets_text *field_out)
{
    const struct ets_text all = ets_trim(*line);
    for (size_t at = all.size; at-- > 0;) {
        const bool is_gap = at > 0 && all.data[at] == ' ' && all.data[at - 1] == ' ';
        if (all.data[at] != '\t' && !is_gap) continue;
        *field_out = (struct ets_text){all.data + at + 1, all.size - at - 1};
        *line = ets_trim((struct ets_text){all.data, at});
        return true;
    }
    return false;
}

struct ets_text ets_take_first(struct ets_text *line, char separator)
{
    const struct ets_text all = *line;
    const char *end = all.size == 0 ? NULL : memchr(all.data, separator, all.size);
    if (end == NULL) {
        *line = (struct ets_text){all.data + all.size, 0};
        return all;
    }
    const size_t size = (size_t)(end - all.data);
    *line = (struct ets_text){end + 1, all.size - size - 1};
    return (struct ets_text){all.data, size};
}
