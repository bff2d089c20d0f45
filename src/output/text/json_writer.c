/* Writes JSON piece by piece: commas, keys and escapes. */
#include "output/text/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/output.h"

static void put(struct ets_json_writer *json, const char *text)
{
    if (json->output != NULL) ets_output_write(json->output, text, strlen(text));
}

static void put_quoted(struct ets_json_writer *json, struct ets_text text)
{
    if (json->output != NULL) ets_output_write_json(json->output, text.data, text.size);
}

/* What stands before every value: the comma behind the last one, and the key. */
static void begin(struct ets_json_writer *json, const char *key)
{
    if (json->needs_comma) put(json, ", ");
    if (key != NULL) {
        put_quoted(json, (struct ets_text){key, strlen(key)});
        put(json, ": ");
    }
    json->needs_comma = true;
}

static void open_bracket(struct ets_json_writer *json, const char *key, const char *bracket)
{
    begin(json, key);
    put(json, bracket);
    json->needs_comma = false;
}

static void close_bracket(struct ets_json_writer *json, const char *bracket)
{
    put(json, bracket);
    json->needs_comma = true;
}

void ets_json_begin_object(struct ets_json_writer *json, const char *key)
{
    open_bracket(json, key, "{");
}

void ets_json_begin_object_of(struct ets_json_writer *json, struct ets_text key)
{
    begin(json, NULL);
    put_quoted(json, key);
    put(json, ": {");
    json->needs_comma = false;
}

void ets_json_begin_array(struct ets_json_writer *json, const char *key)
{
    open_bracket(json, key, "[");
}

void ets_json_end_object(struct ets_json_writer *json)
{
    close_bracket(json, "}");
}

void ets_json_end_array(struct ets_json_writer *json)
{
    close_bracket(json, "]");
}

void ets_json_put_key(struct ets_json_writer *json, const char *key)
{
    begin(json, key);
}

void ets_json_begin_rows(struct ets_json_writer *json)
{
    ets_json_begin_array(json, "rows");
}

void ets_json_begin_row(struct ets_json_writer *json)
{
    if (!json->is_lines) put(json, json->needs_comma ? ",\n {" : "\n {");
    else put(json, "{");
    json->needs_comma = false;
}

void ets_json_end_row(struct ets_json_writer *json)
{
    put(json, json->is_lines ? "}\n" : "}");
    json->needs_comma = true;
}

void ets_json_end_rows(struct ets_json_writer *json)
{
    put(json, json->needs_comma ? "\n]" : "]");
    json->needs_comma = true;
}

void ets_json_end_document(struct ets_json_writer *json)
{
    put(json, "\n");
    json->needs_comma = false;
}

void ets_json_put_text(struct ets_json_writer *json, const char *key, struct ets_text text)
{
    begin(json, key);
    if (text.data == NULL) put(json, "null");
    else put_quoted(json, text);
}

void ets_json_put_string(struct ets_json_writer *json, const char *key, const char *text)
{
    ets_json_put_text(json, key, (struct ets_text){text, text != NULL ? strlen(text) : 0});
}

void ets_json_put_count(struct ets_json_writer *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    begin(json, key);
    put(json, text);
}

void ets_json_put_integer(struct ets_json_writer *json, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    begin(json, key);
    put(json, text);
}

void ets_json_put_real(struct ets_json_writer *json, const char *key, double value)
{
    char text[32] = "null";
    if (isfinite(value)) snprintf(text, sizeof text, "%.17g", value);
    for (char *at = text; *at != '\0'; at++) {
        if (*at == ',') *at = '.'; /* a locale's decimal comma */
    }
    begin(json, key);
    put(json, text);
}

void ets_json_put_bool(struct ets_json_writer *json, const char *key, bool value)
{
    begin(json, key);
    put(json, value ? "true" : "false");
}

void ets_json_put_null(struct ets_json_writer *json, const char *key)
{
    begin(json, key);
    put(json, "null");
}
