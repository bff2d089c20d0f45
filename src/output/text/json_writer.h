/*
 * Writes a JSON document piece by piece, on one line except for its rows.
 *
 *     struct ets_json_writer json = {.output = output};
 *     ets_json_begin_object(&json, NULL);
 *     ets_json_put_count(&json, "run_count", 20);
 *     ets_json_end_object(&json);
 *     ets_json_end_document(&json);
 *
 * The key is NULL for items of an array and for the document itself. A writer without an output
 * writes nothing. Write errors are reported by the output's commit.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_JSON_WRITER_H
#define ETSCOPE_OUTPUT_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"
#include "etscope/file.h"

struct ets_json_writer {
    struct ets_output *output;
    bool needs_comma;
    bool is_lines; /* rows are separate lines, not items of a list */
};

/* A list "rows" of objects, each on its own line; for JSON lines only the objects. */
void ets_json_begin_rows(struct ets_json_writer *json);
void ets_json_begin_row(struct ets_json_writer *json);
void ets_json_end_row(struct ets_json_writer *json);
void ets_json_end_rows(struct ets_json_writer *json);

/* Only the key; the caller writes the value. */
void ets_json_put_key(struct ets_json_writer *json, const char *key);

void ets_json_begin_object(struct ets_json_writer *json, const char *key);
/* The same, with a key from a file. */
void ets_json_begin_object_of(struct ets_json_writer *json, struct ets_text key);
void ets_json_begin_array(struct ets_json_writer *json, const char *key);
void ets_json_end_object(struct ets_json_writer *json);
void ets_json_end_array(struct ets_json_writer *json);
/* Ends the document's line. */
void ets_json_end_document(struct ets_json_writer *json);

/* Absent and NULL texts, and numbers that are not finite, become null. */
void ets_json_put_text(struct ets_json_writer *json, const char *key, struct ets_text text);
void ets_json_put_string(struct ets_json_writer *json, const char *key, const char *text);
void ets_json_put_count(struct ets_json_writer *json, const char *key, uint64_t value);
void ets_json_put_integer(struct ets_json_writer *json, const char *key, int64_t value);
void ets_json_put_real(struct ets_json_writer *json, const char *key, double value);
void ets_json_put_bool(struct ets_json_writer *json, const char *key, bool value);
void ets_json_put_null(struct ets_json_writer *json, const char *key);

#endif
