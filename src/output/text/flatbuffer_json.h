/*
 * A verified FlatBuffer as JSON: every field that its schema names, under the schema's name.
 *
 *     const struct ets_fb root = {program.bytes.data, program.root_at};
 *     ets_json_put_flatbuffer(json, "program", root, &ets_program_type, false);
 *
 * Absent scalars are their defaults, absent texts, vectors and tables null. Of a union, "x_type" is
 * the member's name. Of an enumeration, a number that the schema names is its name. Numbers that
 * are not finite are the texts "nan", "inf", "-inf". Nothing is allocated; depth and work are those
 * of the verifier.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_FLATBUFFER_JSON_H
#define ETSCOPE_OUTPUT_TEXT_FLATBUFFER_JSON_H

#include "format/flatbuffer.h"
#include "output/text/json_writer.h"

/* With `with_data` bytes are told themselves, however many. */
void ets_json_put_flatbuffer(struct ets_json_writer *json, const char *key, struct ets_fb table,
                             const struct ets_fb_type *type, bool with_data);

/*
 * Bytes as an object: "bytes", their number, "hash", their XXH64 as 16 hexadecimal digits, and with
 * `with_data`, or where they are no more than 64, "data" in Base64. Absent: null.
 */
void ets_json_put_blob(struct ets_json_writer *json, const char *key, struct ets_bytes bytes,
                       bool with_data);
/* The members alone, of an object that is open; the hash is known, where there are bytes. */
void ets_json_put_blob_members(struct ets_json_writer *json, struct ets_bytes bytes, uint64_t hash,
                               bool with_data);

/* "hash" as 16 hexadecimal digits. */
void ets_json_put_hash(struct ets_json_writer *json, const char *key, uint64_t hash);
/* A number, or what it is instead as a text. */
void ets_json_put_any_real(struct ets_json_writer *json, const char *key, double value);

#endif
