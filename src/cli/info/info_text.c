/* Composes lines of facts: labels, wrapped lists, bytes and tensors. */
#include "cli/info/info_text.h"
#include "host/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "etscope/base.h"

static void add_formatted(struct info_line *line, const char *format, va_list arguments)
    ETS_PRINTF(2, 0);

static void add_formatted(struct info_line *line, const char *format, va_list arguments)
{
    const size_t room = sizeof line->data - line->size;
    const int length = vsnprintf(line->data + line->size, room, format, arguments);
    if (length > 0) line->size += (size_t)length < room ? (size_t)length : room - 1;
}

void info_add(struct info_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_formatted(line, format, arguments);
    va_end(arguments);
}

void info_add_text(struct info_line *line, struct ets_text text)
{
    for (size_t i = 0; i < text.size && line->size + 4 < sizeof line->data;) {
        const char *at = text.data + i;
        const size_t length = ets_plain_length(at, text.size - i);
        if (length == 0) info_add(line, "\\x%02x", (unsigned char)*at);
        else info_add(line, "%.*s", (int)length, at);
        i += length == 0 ? 1 : length;
    }
}

void info_add_bytes(struct info_line *line, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    info_add(line, "%.*f %s", unit > 0 ? 1 : 0, size, units[unit]);
}

void info_add_count(struct info_line *line, uint64_t count, const char *noun)
{
    info_add(line, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

void info_add_tensor(struct info_line *line, const struct ets_tensor *tensor, bool is_bound)
{
    const char *name = ets_scalar_type_name(tensor->scalar_type);
    info_add(line, "%s [", name != NULL ? name : "unknown");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        info_add(line, "%s%s%lld", i > 0 ? ", " : "", is_bound && tensor->sizes[i] > 1 ? "<=" : "",
                 (long long)tensor->sizes[i]);
    }
    info_add(line, "]");
}

void info_add_value(struct info_line *line, const struct ets_value *value)
{
    switch (value->kind) {
    case ETS_VALUE_TENSOR: info_add_tensor(line, &value->as.tensor, false); break;
    case ETS_VALUE_INT: info_add(line, "int %lld", (long long)value->as.int_value); break;
    case ETS_VALUE_BOOL: info_add(line, "bool %s", value->as.bool_value ? "true" : "false"); break;
    case ETS_VALUE_DOUBLE: info_add(line, "double %g", value->as.double_value); break;
    case ETS_VALUE_NONE: info_add(line, "none"); break;
    case ETS_VALUE_OTHER: info_add(line, "other"); break;
    }
}

void info_end_line(struct ets_output *output, struct info_line *line)
{
    while (line->size > 0 && line->data[line->size - 1] == ' ') line->size--;
    ets_output_write(output, line->data, line->size);
    ets_output_write(output, "\n", 1);
    line->size = 0;
}

void info_label(struct info_line *line, const char *label)
{
    info_add(line, "  %-*s", INFO_LABEL, label != NULL ? label : "");
    if (line->data[line->size - 1] != ' ') info_add(line, " ");
}

void info_print(struct ets_output *output, const char *format, ...)
{
    struct info_line line = {.size = 0};
    va_list arguments;
    va_start(arguments, format);
    add_formatted(&line, format, arguments);
    va_end(arguments);
    info_end_line(output, &line);
}

void info_fact(struct ets_output *output, const char *label, const char *format, ...)
{
    struct info_line line = {.size = 0};
    va_list arguments;
    info_label(&line, label);
    va_start(arguments, format);
    add_formatted(&line, format, arguments);
    va_end(arguments);
    info_end_line(output, &line);
}

void info_paragraph(struct ets_output *output, const char *text)
{
    struct info_line line = {.size = 0};
    bool has_word = false;
    while (*text != '\0') {
        const size_t length = strcspn(text, " ");
        if (has_word && line.size + 1 + length > INFO_WIDTH) {
            info_end_line(output, &line);
            info_add(&line, "  ");
        } else if (has_word) {
            info_add(&line, " ");
        }
        info_add_text(&line, (struct ets_text){text, length});
        has_word = true;
        text += length;
        while (*text == ' ') text++;
    }
    info_end_line(output, &line);
}

void info_list_begin(struct info_list *list, struct ets_output *output, const char *label)
{
    list->output = output;
    list->line.size = 0;
    list->has_item = false;
    info_label(&list->line, label);
}

void info_list_add(struct info_list *list, const struct info_line *item)
{
    if (list->has_item) info_add(&list->line, ",");
    if (list->has_item && list->line.size + 2 + item->size > INFO_WIDTH) {
        info_end_line(list->output, &list->line);
        info_label(&list->line, NULL);
    } else if (list->has_item) {
        info_add(&list->line, " ");
    }
    info_add(&list->line, "%.*s", (int)item->size, item->data);
    list->has_item = true;
}

void info_list_end(struct info_list *list)
{
    info_end_line(list->output, &list->line);
}
