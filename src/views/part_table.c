/* Reads the rules of a user's parts, and finds the one that matches. */
#include "views/part_table.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/text_pattern.h"

enum { MOST_RULES = 1000, MOST_QUOTED = 80, LONGEST_PART = 64 };

static const char of_operator[] = "op:";

static enum ets_status fail(struct ets_error *error, uint32_t line, struct ets_text text,
                            const char *reason)
{
    const int size = (int)(text.size < MOST_QUOTED ? text.size : MOST_QUOTED);
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "line %u \"%.*s\": %s", line, size,
                    text.data, reason);
}

static enum ets_status read_rule(struct ets_text text, uint32_t line, struct ets_part_rule *rule,
                                 struct ets_error *error)
{
    size_t end = 0;
    while (end < text.size && !ets_is_blank(text.data[end])) end++;
    rule->pattern = (struct ets_text){text.data, end};
    rule->part = ets_text_trim((struct ets_text){text.data + end, text.size - end});
    rule->is_of_operator = ets_text_starts_with(rule->pattern, of_operator);
    if (rule->is_of_operator) {
        rule->pattern.data += sizeof of_operator - 1;
        rule->pattern.size -= sizeof of_operator - 1;
    }
    if (rule->pattern.size == 0 || rule->part.size == 0) {
        return fail(error, line, text,
                    "a rule must be: PATTERN PART, as in: *.experts.* MoE: experts");
    }
    if (rule->part.size > LONGEST_PART || rule->part.data[0] == '(') {
        return fail(error, line, text,
                    "a part has at most 64 bytes, and does not begin with a parenthesis");
    }
    return ETS_OK;
}

/* Counts lines with a rule, or reads them. */
static enum ets_status read_lines(struct ets_text text, struct ets_part_rule *rules,
                                  uint32_t *count_out, struct ets_error *error)
{
    uint32_t count = 0, line = 0;
    for (size_t at = 0; at < text.size;) {
        const char *end = memchr(text.data + at, '\n', text.size - at);
        const size_t size = end == NULL ? text.size - at : (size_t)(end - (text.data + at));
        const struct ets_text rule = ets_text_trim((struct ets_text){text.data + at, size});
        at += size + 1;
        line++;
        if (rule.size == 0 || rule.data[0] == '#') continue;
        if (rules != NULL) ETS_TRY(read_rule(rule, line, &rules[count], error));
        if (++count > MOST_RULES) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "more than %d rules", MOST_RULES);
        }
    }
    *count_out = count;
    return ETS_OK;
}

enum ets_status ets_part_table_read(struct ets_bytes text, struct ets_arena *arena,
                                    struct ets_part_table *table_out, struct ets_error *error)
{
    struct ets_text copy = {NULL, text.size};
    uint32_t count = 0;
    ETS_TRY(read_lines((struct ets_text){(const char *)text.data, text.size}, NULL, &count, error));
    if (count == 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "no rule of a part; an example: *.experts.* MoE: experts");
    }
    struct ets_part_rule *rules = ets_arena_alloc_array(arena, count, sizeof *rules);
    copy.data = ets_arena_copy_text(arena, (const char *)text.data, text.size);
    if (rules == NULL || copy.data == NULL) return ets_fail_memory(error, "a table of parts");
    ETS_TRY(read_lines(copy, rules, &count, error));
    *table_out = (struct ets_part_table){rules, count};
    return ETS_OK;
}

struct ets_text ets_part_table_find(const struct ets_part_table *table, struct ets_text path,
                                    struct ets_text operation)
{
    for (uint32_t i = 0; table != NULL && i < table->count; i++) {
        const struct ets_part_rule *rule = &table->rules[i];
        if (ets_text_matches(rule->pattern, rule->is_of_operator ? operation : path)) {
            return rule->part;
        }
    }
    return (struct ets_text){NULL, 0};
}
