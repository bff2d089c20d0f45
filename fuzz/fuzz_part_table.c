/* Reads any bytes as a table of parts, and asks it about its own patterns. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "views/part_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_arena arena;
    struct ets_part_table table;
    struct ets_error error;
    ets_arena_init(&arena, NULL, 0);
    if (size < 65536 &&
        ets_part_table_read((struct ets_bytes){data, size}, &arena, &table, &error) == ETS_OK) {
        check(table.count > 0);
        for (uint32_t i = 0; i < table.count; i++) {
            const struct ets_text pattern = table.rules[i].pattern;
            check(pattern.size > 0 && table.rules[i].part.size > 0);
            /* A pattern matches itself. */
            check(ets_part_table_find(&table, pattern, pattern).data != NULL);
        }
    }
    ets_arena_reset(&arena);
    return 0;
}
