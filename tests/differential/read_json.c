/*
 * Reads JSON documents from standard input, each behind the number of its bytes (four bytes, the
 * lowest first), and writes a line for each: what etscope's reader understands, so that
 * tests/cli/test_json_beside_python.py can compare it with Python's.
 *
 *     null, true, false; i12 an integer; d and a double in hexadecimal, dnan, dinf, d-inf;
 *     t and a text's bytes in hexadecimal; [a,b]; {key:value,key:value}; refused
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/load.h"
#include "record/json.h"

static void print_text(const struct ets_json_value *value)
{
    putchar('t');
    for (uint32_t i = 0; i < value->size; i++) printf("%02x", (unsigned char)value->as.text[i]);
}

static void print_double(double number)
{
    if (isnan(number)) printf("dnan");
    else if (isinf(number)) printf(number > 0 ? "dinf" : "d-inf");
    else printf("d%a", number);
}

static const struct ets_json_value *print(const struct ets_json_value *value);

/* An array's elements, or an object's keys and values, which follow each other. */
static void print_list(const struct ets_json_value *value, const char *borders, uint32_t count)
{
    const struct ets_json_value *item = ets_json_first(value);
    putchar(borders[0]);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) putchar(borders[0] == '{' && i % 2 == 1 ? ':' : ',');
        item = print(item);
    }
    putchar(borders[1]);
}

/* Returns the next sibling. Depth is limited by the reader. */
static const struct ets_json_value *print(const struct ets_json_value *value)
{
    switch (value->kind) {
    case ETS_JSON_NULL: printf("null"); break;
    case ETS_JSON_BOOL: printf(value->as.integer != 0 ? "true" : "false"); break;
    case ETS_JSON_INT: printf("i%" PRId64, value->as.integer); break;
    case ETS_JSON_UINT: printf("i%" PRIu64, value->as.uinteger); break;
    case ETS_JSON_DOUBLE: print_double(value->as.number); break;
    case ETS_JSON_TEXT: print_text(value); break;
    case ETS_JSON_ARRAY: print_list(value, "[]", value->size); break;
    case ETS_JSON_OBJECT: print_list(value, "{}", 2 * value->size); break;
    default: abort();
    }
    return ets_json_next(value);
}

int main(void)
{
    uint8_t head[4];
    struct ets_json json;
    ets_json_init(&json, NULL);
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        const size_t size = ets_load_u32(head);
        struct ets_json_failure failure;
        char *text = malloc(size + 1);
        if (text == NULL || fread(text, 1, size, stdin) != size) return 1;
        text[size] = '\0';
        if (ets_json_parse(&json, text, size, &failure) == ETS_OK) print(json.values);
        else printf("refused");
        putchar('\n');
        free(text);
    }
    ets_json_reset(&json);
    return 0;
}
