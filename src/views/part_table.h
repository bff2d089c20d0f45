/*
 * A user's own table of the parts of a model, for names that are not known.
 *
 *     struct ets_part_table table;
 *     if (ets_part_table_read(bytes, &arena, &table, &error) != ETS_OK) return fail(&error);
 *     struct ets_text part = ets_part_table_find(&table, path, operation);
 *
 * The text has one rule per line, a pattern and the name of the part, with space between; # begins
 * a comment. A pattern is of the whole path of a module, or with op: before it, of an operator;
 * * is any text, ? any character:
 *
 *     *.experts.*                  MoE: experts
 *     op:llama::quantized_moe_ffn* MoE: experts
 *     *.vision_tower.*             vision
 *
 * The first rule that matches counts, and goes before what is known. Parts whose names begin alike
 * up to a colon are also added up.
 */
#ifndef ETSCOPE_VIEWS_PART_TABLE_H
#define ETSCOPE_VIEWS_PART_TABLE_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/arena.h"

struct ets_part_rule {
    bool is_of_operator;
    struct ets_text pattern, part;
};

struct ets_part_table {
    const struct ets_part_rule *rules;
    uint32_t count;
};

/*
 * Reads a table into the arena, texts included. Statuses: MALFORMED (the message names the line and
 * what it should be; also a text without any rule), LIMIT (over 1,000 rules), NO_MEMORY.
 */
enum ets_status ets_part_table_read(struct ets_bytes text, struct ets_arena *arena,
                                    struct ets_part_table *table_out, struct ets_error *error);

/* The part of an operator in a module; absent: no rule says. `table` may be NULL. */
struct ets_text ets_part_table_find(const struct ets_part_table *table, struct ets_text path,
                                    struct ets_text operation);

#endif
