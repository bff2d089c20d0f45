/* Writes JSON piece by piece: commas, keys and escapes. */
#include "cli/info/info_json.h"
#include "host/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/cli_text.h"

static void put(struct info_json *json, const char *text)
{
    ets_output_write(json->output, text, strlen(text));
}

/* What stands before every value: the comma behind the last one, and the key. */
static void begin(struct info_json *json, const char *key)
{
    if (json->needs_comma) put(json, ", ");
    if (key != NULL) {
        ets_output_write_json(json->output, key, strlen(key));
        put(json, ": ");
    }
    json->needs_comma = true;
}

static void open_bracket(struct info_json *json, const char *key, const char *bracket)
{
    begin(json, key);
    put(json, bracket);
    json->needs_comma = false;
}

static void close_bracket(struct info_json *json, const char *bracket)
{
    put(json, bracket);
    json->needs_comma = true;
}

void info_json_object(struct info_json *json, const char *key)
{
    open_bracket(json, key, "{");
}

void info_json_array(struct info_json *json, const char *key)
{
    open_bracket(json, key, "[");
}

void info_json_end_object(struct info_json *json)
{
    close_bracket(json, "}");
}

void info_json_end_array(struct info_json *json)
{
    close_bracket(json, "]");
}

void info_json_key(struct info_json *json, const char *key)
{
    begin(json, key);
}

void info_json_rows(struct info_json *json)
{
    info_json_array(json, "rows");
}

void info_json_row(struct info_json *json)
{
    if (!json->is_lines) put(json, json->needs_comma ? ",\n {" : "\n {");
    else put(json, "{");
    json->needs_comma = false;
}

void info_json_end_row(struct info_json *json)
{
    put(json, json->is_lines ? "}\n" : "}");
    json->needs_comma = true;
}

void info_json_end_rows(struct info_json *json)
{
    put(json, json->needs_comma ? "\n]" : "]");
    json->needs_comma = true;
}

void info_json_finish(struct info_json *json)
{
    put(json, "\n");
    json->needs_comma = false;
}

void info_json_text(struct info_json *json, const char *key, struct ets_text text)
{
    begin(json, key);
    if (text.data == NULL) put(json, "null");
    else ets_output_write_json(json->output, text.data, text.size);
}

void info_json_string(struct info_json *json, const char *key, const char *text)
{
    info_json_text(json, key, (struct ets_text){text, text != NULL ? strlen(text) : 0});
}

void info_json_count(struct info_json *json, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    begin(json, key);
    put(json, text);
}

void info_json_integer(struct info_json *json, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    begin(json, key);
    put(json, text);
}

void info_json_real(struct info_json *json, const char *key, double value)
{
    char text[32] = "null";
    if (isfinite(value)) snprintf(text, sizeof text, "%.17g", value);
    for (char *at = text; *at != '\0'; at++) {
        if (*at == ',') *at = '.'; /* a locale's decimal comma */
    }
    begin(json, key);
    put(json, text);
}

void info_json_bool(struct info_json *json, const char *key, bool value)
{
    begin(json, key);
    put(json, value ? "true" : "false");
}

void info_json_null(struct info_json *json, const char *key)
{
    begin(json, key);
    put(json, "null");
}
