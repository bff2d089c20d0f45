/* Writes facts: labels, wrapped lists and values for people, or members of a document. */
#include "output/text/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "etscope/base.h"
#include "host/output.h"
#include "output/text/character_width.h"

void ets_facts_init(struct ets_facts *facts, struct ets_json_writer *json,
                    struct ets_output *output)
{
    memset(facts, 0, sizeof *facts);
    facts->output = output;
    facts->json = output == NULL ? json : &facts->silence;
    facts->line = (struct ets_text_builder){facts->line_text, sizeof facts->line_text, 0};
    facts->item = (struct ets_text_builder){facts->item_text, sizeof facts->item_text, 0};
}

/* Where people's values go: NULL outside of lines. */
static struct ets_text_builder *place(struct ets_facts *facts)
{
    if (!facts->is_open) return NULL;
    return facts->items > 0 ? &facts->item : &facts->line;
}

static void add_formatted(struct ets_text_builder *line, const char *format, va_list arguments)
    ETS_PRINTF(2, 0);

static void add_formatted(struct ets_text_builder *line, const char *format, va_list arguments)
{
    char text[ETS_FACTS_CHARS];
    if (vsnprintf(text, sizeof text, format, arguments) > 0) ets_add_text(line, "%s", text);
}

static void empty(struct ets_text_builder *line)
{
    line->used = 0;
    line->room = ETS_FACTS_CHARS;
}

/* Widens what stands in the line to a label. */
static void end_label(struct ets_text_builder *line)
{
    const int missing = ETS_FACTS_LABEL + 2 - (int)line->used;
    ets_add_text(line, "%*s", missing > 0 ? missing : 0, "");
    if (line->text[line->used - 1] != ' ') ets_add_text(line, " ");
}

enum { LEAST_WIDTH = 40, HANG = 4 };

/* What is too long goes on below its value, or below a line without a label further in. */
static void write_wrapped(struct ets_facts *facts, struct ets_text text)
{
    const uint32_t width = facts->width >= LEAST_WIDTH ? facts->width : UINT32_MAX;
    uint32_t indent = 0;
    while (indent < text.size && indent < ETS_FACTS_LABEL && text.data[indent] == ' ') indent++;
    const uint32_t hang = facts->is_labeled ? ETS_FACTS_LABEL + 2 : indent + HANG;
    text = (struct ets_text){text.data + indent, text.size - indent};
    while (text.size > 0) {
        size_t next;
        size_t taken = ets_text_words(text.data, text.size, width - indent, &next);
        if (indent > 0) ets_output_print(facts->output, "%*s", (int)indent, "");
        while (taken > 0 && text.data[taken - 1] == ' ') taken--;
        ets_output_write(facts->output, text.data, taken);
        ets_output_write(facts->output, "\n", 1);
        while (next < text.size && text.data[next] == ' ') next++;
        text = (struct ets_text){text.data + next, text.size - next};
        indent = hang;
    }
}

static void write_line(struct ets_facts *facts)
{
    struct ets_text_builder *line = &facts->line;
    while (line->used > 0 && line->text[line->used - 1] == ' ') line->used--;
    if (line->used == 0) ets_output_write(facts->output, "\n", 1);
    else write_wrapped(facts, ets_built_text(line));
    empty(line);
}

/* Moves the open item into the line, or where that has no room into the next. */
static void end_item(struct ets_facts *facts)
{
    struct ets_text_builder *line = &facts->line;
    if (facts->items > 1) ets_add_text(line, ",");
    if (facts->items > 1 && line->used + 2 + facts->item.used > ETS_FACTS_WIDTH) {
        write_line(facts);
        end_label(line);
    } else if (facts->items > 1) {
        ets_add_text(line, " ");
    }
    ets_add_text(line, "%.*s", ETS_TEXT(ets_built_text(&facts->item)));
}

static void begin_line(struct ets_facts *facts)
{
    empty(&facts->line);
    facts->is_open = true;
    facts->is_labeled = false;
    facts->items = 0;
}

void ets_facts_line(struct ets_facts *facts, const char *label, ...)
{
    va_list arguments;
    if (ets_facts_are_json(facts)) return;
    begin_line(facts);
    ets_add_text(&facts->line, "  ");
    va_start(arguments, label);
    add_formatted(&facts->line, label, arguments);
    va_end(arguments);
    end_label(&facts->line);
    facts->is_labeled = true;
}

void ets_facts_plain_line(struct ets_facts *facts, const char *words, ...)
{
    va_list arguments;
    if (ets_facts_are_json(facts)) return;
    begin_line(facts);
    va_start(arguments, words);
    add_formatted(&facts->line, words, arguments);
    va_end(arguments);
}

void ets_facts_end(struct ets_facts *facts)
{
    if (!facts->is_open) return;
    if (facts->items > 0) end_item(facts);
    write_line(facts);
    facts->is_open = false;
}

void ets_facts_item(struct ets_facts *facts)
{
    if (!facts->is_open) return;
    if (facts->items > 0) end_item(facts);
    facts->items++;
    empty(&facts->item);
}

void ets_facts_words(struct ets_facts *facts, const char *words, ...)
{
    struct ets_text_builder *line = place(facts);
    va_list arguments;
    if (line == NULL) return;
    va_start(arguments, words);
    add_formatted(line, words, arguments);
    va_end(arguments);
}

void ets_facts_paragraph(struct ets_facts *facts, const char *text)
{
    ets_facts_plain_line(facts, "%s", "");
    for (bool has_word = false; *text != '\0' && facts->is_open; has_word = true) {
        const size_t length = strcspn(text, " ");
        if (has_word && facts->line.used + 1 + length > ETS_FACTS_WIDTH) {
            write_line(facts);
            ets_facts_words(facts, "  ");
        } else if (has_word) {
            ets_facts_words(facts, " ");
        }
        ets_add_shown_text(&facts->line, (struct ets_text){text, length});
        text += length;
        while (*text == ' ') text++;
    }
    ets_facts_end(facts);
}

/* The key of a member of the document, NULL of an array's item; false where there is none to put.
 */
static bool member(const struct ets_facts *facts, const char **key)
{
    if (!ets_facts_are_json(facts) || *key == NULL) return false;
    if (**key == '\0') *key = NULL;
    return true;
}

void ets_facts_text(struct ets_facts *facts, const char *key, struct ets_text text)
{
    struct ets_text_builder *line = place(facts);
    if (line != NULL) ets_add_shown_text(line, text);
    if (member(facts, &key)) ets_json_put_text(facts->json, key, text);
}

void ets_facts_string(struct ets_facts *facts, const char *key, const char *text)
{
    ets_facts_text(facts, key, (struct ets_text){text, text != NULL ? strlen(text) : 0});
}

void ets_facts_number(struct ets_facts *facts, const char *key, uint64_t value)
{
    ets_facts_words(facts, "%llu", (unsigned long long)value);
    if (member(facts, &key)) ets_json_put_count(facts->json, key, value);
}

void ets_facts_number_line(struct ets_facts *facts, const char *label, const char *key,
                           uint64_t value)
{
    ets_facts_line(facts, "%s", label);
    ets_facts_number(facts, key, value);
    ets_facts_end(facts);
}

void ets_facts_integer(struct ets_facts *facts, const char *key, int64_t value)
{
    ets_facts_words(facts, "%lld", (long long)value);
    if (member(facts, &key)) ets_json_put_integer(facts->json, key, value);
}

void ets_facts_real(struct ets_facts *facts, const char *key, double value)
{
    ets_facts_words(facts, "%g", value);
    if (member(facts, &key)) ets_json_put_real(facts->json, key, value);
}

void ets_facts_count(struct ets_facts *facts, const char *key, uint64_t value, const char *noun)
{
    ets_facts_number(facts, key, value);
    ets_facts_words(facts, " %s%s", noun, value == 1 ? "" : "s");
}

void ets_facts_bytes(struct ets_facts *facts, const char *key, uint64_t bytes)
{
    struct ets_text_builder *line = place(facts);
    if (line != NULL) ets_add_bytes(line, bytes);
    if (member(facts, &key)) ets_json_put_count(facts->json, key, bytes);
}

void ets_facts_bool(struct ets_facts *facts, const char *key, bool value, const char *yes,
                    const char *no)
{
    ets_facts_words(facts, "%s", value ? yes : no);
    if (member(facts, &key)) ets_json_put_bool(facts->json, key, value);
}

void ets_facts_tensor(struct ets_facts *facts, const struct ets_tensor *tensor, bool is_bound)
{
    const char *name = ets_scalar_type_name(tensor->scalar_type);
    ets_json_put_string(facts->json, "scalar_type", name);
    ets_json_begin_array(facts->json, "sizes");
    ets_facts_words(facts, "%s [", name != NULL ? name : "unknown");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        ets_facts_words(facts, "%s%s", i > 0 ? ", " : "",
                        is_bound && tensor->sizes[i] > 1 ? "<=" : "");
        ets_facts_integer(facts, ETS_FACTS_ITEM, tensor->sizes[i]);
    }
    ets_facts_words(facts, "]");
    ets_json_end_array(facts->json);
}

void ets_facts_value(struct ets_facts *facts, const struct ets_value *value)
{
    static const char *const kinds[] = {"none", "tensor", "int", "bool", "double", "other"};
    ets_json_begin_object(facts->json, NULL);
    ets_json_put_string(facts->json, "kind", kinds[value->kind]);
    if (value->kind == ETS_VALUE_NONE || value->kind == ETS_VALUE_OTHER) {
        ets_facts_words(facts, "%s", kinds[value->kind]);
    } else if (value->kind != ETS_VALUE_TENSOR) {
        ets_facts_words(facts, "%s ", kinds[value->kind]);
    }
    switch (value->kind) {
    case ETS_VALUE_TENSOR: ets_facts_tensor(facts, &value->as.tensor, false); break;
    case ETS_VALUE_INT: ets_facts_integer(facts, "value", value->as.int_value); break;
    case ETS_VALUE_BOOL:
        ets_facts_bool(facts, "value", value->as.bool_value, "true", "false");
        break;
    case ETS_VALUE_DOUBLE: ets_facts_real(facts, "value", value->as.double_value); break;
    case ETS_VALUE_NONE:
    case ETS_VALUE_OTHER: break;
    }
    ets_json_end_object(facts->json);
}
