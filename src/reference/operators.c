/* Finds operators by name, and parses the schemas of their arguments. */
#include "reference/operators.h"

#include <string.h>

#include "base/text.h"

static int compare_names(struct ets_text name, const char *other)
{
    const size_t size = strlen(other), common = name.size < size ? name.size : size;
    const int order = memcmp(name.data, other, common);
    return order != 0 ? order : (name.size > size) - (name.size < size);
}

const struct reference_operator *ets_reference_operator_named(struct ets_text name)
{
    uint32_t low = 0, high = ets_reference_operator_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_names(name, ets_reference_operators[middle].name);
        if (order == 0) return &ets_reference_operators[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

struct ets_text ets_reference_operator_name(struct ets_text target)
{
    static const char *const prefixes[] = {"torch.ops.", "executorch.exir.dialects.edge.ops.",
                                           "executorch.exir.dialects.backend.ops."};
    if (target.data == NULL) return (struct ets_text){"", 0};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (ets_text_starts_with(target, prefixes[i])) {
            const size_t size = strlen(prefixes[i]);
            return (struct ets_text){target.data + size, target.size - size};
        }
    }
    return target;
}

/* The end of the base name: the last dot, because base names have none. */
static size_t base_end(struct ets_text name)
{
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] != '.') end--;
    return end > 0 ? end - 1 : 0;
}

struct ets_text ets_reference_name_without(struct ets_text name, const char *suffix, char room[128])
{
    const size_t end = base_end(name), size = strlen(suffix);
    if (end <= size || name.size - size >= 128 ||
        memcmp(name.data + end - size, suffix, size) != 0 || name.data[end - size - 1] == '_') {
        return (struct ets_text){NULL, 0}; /* "__and__" is not an operator in place */
    }
    memcpy(room, name.data, end - size);
    memcpy(room + end - size, name.data + end, name.size - end);
    room[name.size - size] = '\0';
    return (struct ets_text){room, name.size - size};
}

/* Parses "t?[]", "i[2]?" after the letter. */
static const char *read_type(const char *at, struct reference_parameter *parameter)
{
    bool optional = false;
    for (; *at != ' ' && *at != '\0'; at++) {
        if (*at == '?') optional = true;
        if (*at == '!') parameter->is_written = true;
        if (*at == '[') {
            parameter->is_list = true;
            parameter->items_optional = optional;
            optional = false;
        }
        if (*at >= '0' && *at <= '9') {
            parameter->is_expandable = true;
            parameter->list_count = parameter->list_count * 10 + (uint32_t)(*at - '0');
        }
    }
    parameter->is_optional = optional;
    return at;
}

bool ets_reference_next_parameter(const char **schema, struct reference_parameter *parameter_out)
{
    const char *at = *schema;
    if (*at == '\0') return false;
    struct reference_parameter parameter = {.for_kernel = *at != '-'};
    if (*at == '-') at++;
    parameter.letter = *at;
    at = read_type(at + 1, &parameter);
    if (*at == ' ') at++;
    parameter.name = (struct ets_text){at, strcspn(at, "=;")};
    at += parameter.name.size;
    if (*at == '=') {
        parameter.has_default = true;
        parameter.default_text = (struct ets_text){at + 1, strcspn(at + 1, ";")};
        at += 1 + parameter.default_text.size;
    }
    *schema = *at == ';' ? at + 1 : at;
    *parameter_out = parameter;
    return true;
}

/* "-1", "1/100". */
static double read_number(struct ets_text text, bool *is_whole)
{
    double parts[2] = {0, 0};
    int part = 0;
    bool is_negative = false;
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (c == '-') is_negative = true;
        else if (c == '/') part = 1;
        else parts[part] = parts[part] * 10 + (c - '0');
    }
    *is_whole = part == 0;
    const double number = part == 0 ? parts[0] : parts[0] / parts[1];
    return is_negative ? -number : number;
}

struct reference_value ets_reference_default(const struct reference_parameter *parameter)
{
    const struct ets_text text = parameter->default_text;
    struct reference_value value = {.kind = REFERENCE_NOTHING};
    if (text.size == 0) return value;
    if (ets_text_is(text, "[]")) {
        value.kind = REFERENCE_LIST;
    } else if (parameter->letter == 's') {
        value.kind = REFERENCE_STRING;
        value.as.text = text;
    } else {
        bool is_whole;
        const double number = read_number(text, &is_whole);
        if (is_whole && parameter->letter != 'f') {
            value.kind = parameter->letter == 'b' ? REFERENCE_BOOL : REFERENCE_INT;
            value.as.int_value = (int64_t)number;
        } else {
            value.kind = REFERENCE_DOUBLE;
            value.as.double_value = number;
        }
    }
    return value;
}
