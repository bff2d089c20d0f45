/*
 * Two programs, the first of the size that the first four bytes say; or one program alone, with
 * itself. What differs can be shown; a program and its own copy in a longer file have nothing that
 * differs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "output/table/program_difference_table.h"
#include "views/program_changes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

static void show(const struct ets_program_changes *view)
{
    const struct ets_program_difference_table_options options = {.top = 3};
    struct ets_table *table;
    check(view->headline[0] != '\0');
    if (ets_table_open(NULL, &table, NULL) != ETS_OK) return;
    ets_program_difference_table_fill(table, view, &options);
    ets_table_close(table);
}

static void compare(const struct ets_program *before, const struct ets_program *after,
                    int are_alike)
{
    const struct ets_program_side sides[2] = {{before, NULL}, {after, NULL}};
    struct ets_program_difference difference;
    struct ets_program_changes view;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    if (ets_program_difference_find(&arena, sides, &difference, NULL) == ETS_OK) {
        check(!are_alike || difference.change_count == 0);
        if (ets_program_changes_collect(&arena, &difference, 3, &view, NULL) == ETS_OK) show(&view);
    }
    ets_arena_reset(&arena);
}

static void compare_with_copy(const struct ets_program *program, struct ets_bytes bytes)
{
    struct ets_program copy;
    uint8_t *longer = malloc(bytes.size + 1);
    if (longer == NULL) return;
    memcpy(longer, bytes.data, bytes.size);
    longer[bytes.size] = 0;
    if (ets_program_init(&copy, (struct ets_bytes){longer, bytes.size + 1}, NULL) == ETS_OK) {
        compare(program, &copy, 1);
    }
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program before, after;
    if (ets_program_init(&before, (struct ets_bytes){data, size}, NULL) == ETS_OK) {
        compare_with_copy(&before, (struct ets_bytes){data, size});
        return 0;
    }
    if (size < 4 || ets_load_u32(data) > size - 4) return 0;
    const struct ets_bytes first = {data + 4, ets_load_u32(data)};
    const struct ets_bytes second = {first.data + first.size, size - 4 - first.size};
    if (ets_program_init(&before, first, NULL) != ETS_OK ||
        ets_program_init(&after, second, NULL) != ETS_OK) {
        return 0;
    }
    compare(&before, &after, 0);
    return 0;
}
