/* A JSON document, written piece by piece: on one line, but for its rows. */
#ifndef ETSCOPE_CLI_INFO_INFO_JSON_H
#define ETSCOPE_CLI_INFO_INFO_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"
#include "etscope/file.h"
#include "host/output.h"

struct info_json {
    struct ets_output *output;
    bool needs_comma;
    bool is_lines; /* rows are lines by themselves, not items of a list */
};

/* A list "rows" of objects, each on a line of its own; of JSON lines the objects alone. */
void info_json_rows(struct info_json *json);
void info_json_row(struct info_json *json);
void info_json_end_row(struct info_json *json);
void info_json_end_rows(struct info_json *json);

/* The key alone, of a value that the caller writes. */
void info_json_key(struct info_json *json, const char *key);

/* `key` is NULL for items of an array and for the document itself. */
void info_json_object(struct info_json *json, const char *key);
void info_json_array(struct info_json *json, const char *key);
void info_json_end_object(struct info_json *json);
void info_json_end_array(struct info_json *json);
/* Ends the document's line. */
void info_json_finish(struct info_json *json);

/* Absent and NULL texts become null. */
void info_json_text(struct info_json *json, const char *key, struct ets_text text);
void info_json_string(struct info_json *json, const char *key, const char *text);
void info_json_count(struct info_json *json, const char *key, uint64_t value);
void info_json_integer(struct info_json *json, const char *key, int64_t value);
void info_json_real(struct info_json *json, const char *key, double value); /* not finite: null */
void info_json_bool(struct info_json *json, const char *key, bool value);
void info_json_null(struct info_json *json, const char *key);

#endif
