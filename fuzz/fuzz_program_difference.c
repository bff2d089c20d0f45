/*
 * Two programs, the first of the size that the first four bytes say; or one program alone, with
 * itself. Programs may be in bundles, of which the test cases are compared. What differs can be
 * shown; a program and its own copy in a longer file have nothing that differs.
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

/* A program, or one inside a bundle. */
struct file {
    struct ets_program program;
    struct ets_bundle bundle;
    int is_bundle;
};

static int read_file(struct file *file, struct ets_bytes bytes)
{
    file->is_bundle = ets_bundle_init(&file->bundle, bytes, NULL) == ETS_OK;
    if (file->is_bundle) bytes = file->bundle.program;
    return ets_program_init(&file->program, bytes, NULL) == ETS_OK;
}

static void compare(const struct file *before, const struct file *after, int are_alike)
{
    const struct ets_program_side sides[2] = {
        {.program = &before->program, .bundle = before->is_bundle ? &before->bundle : NULL},
        {.program = &after->program, .bundle = after->is_bundle ? &after->bundle : NULL}};
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

static void compare_with_copy(const struct file *file, struct ets_bytes bytes)
{
    struct file copy;
    uint8_t *longer = malloc(bytes.size + 1);
    if (longer == NULL) return;
    memcpy(longer, bytes.data, bytes.size);
    longer[bytes.size] = 0;
    if (read_file(&copy, (struct ets_bytes){longer, bytes.size + 1})) compare(file, &copy, 1);
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file before, after;
    if (read_file(&before, (struct ets_bytes){data, size})) {
        compare_with_copy(&before, (struct ets_bytes){data, size});
        return 0;
    }
    if (size < 4 || ets_load_u32(data) > size - 4) return 0;
    const struct ets_bytes first = {data + 4, ets_load_u32(data)};
    const struct ets_bytes second = {first.data + first.size, size - 4 - first.size};
    if (read_file(&before, first) && read_file(&after, second)) compare(&before, &after, 0);
    return 0;
}
