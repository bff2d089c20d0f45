/* The answer to "what takes the bytes", and what happens where memory ends. */
#include "views/size_lines.h"

#include "output/picture/treemap_picture.h"
#include "output/table/size_table.h"
#include "test_faults_support.h"
#include "test_files_support.h"

static struct ets_byte_map *open_map(const struct ets_file *file,
                                     const struct ets_allocator *allocator)
{
    struct ets_byte_map *map = NULL;
    const struct ets_byte_source source = {"file", ets_file_bytes(file), file};
    const struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .find_duplicates = true};
    assert_int_equal(ets_byte_map_open(&options, allocator, &map, NULL, NULL), ETS_OK);
    return map;
}

static void assert_headline(const char *name, const char *expected)
{
    struct ets_file *file = open_file(name);
    struct ets_byte_map *map = open_map(file, NULL);
    struct ets_arena arena;
    struct ets_size_lines lines;
    char text[1024];
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_size_lines_collect(&arena, map, ETS_SIZE_BY_PART, &lines));
    const size_t size = ets_size_headline(&lines, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    for (size_t room = 1; room < 40; room++) {
        assert_true(ets_size_headline(&lines, text, room) < room);
    }
    ets_arena_reset(&arena);
    ets_byte_map_close(map);
    ets_file_close(file);
}

static void test_size_lines__the_answer_names_what_takes_most(void **state)
{
    (void)state;
    assert_headline("gpt_xnnpack/model.pte",
                    "494.9 KiB: 85 % is weights of 9 linear layers in XnnpackBackend");
    assert_headline("gpt_portable/model.pte", "489.9 KiB: 94 % is 21 constants");
    assert_headline("payloads/vulkan.pte",
                    "2.7 KiB: 44 % is the program itself, 29 % 1 payload of VulkanBackend");
    assert_headline("ptd/external.ptd", "524 B: 63 % is the program itself, 26 % padding");
}

static void test_size_lines__groups_hold_every_item_once(void **state)
{
    (void)state;
    static const enum ets_size_by ways[] = {ETS_SIZE_BY_PART, ETS_SIZE_BY_MODULE, ETS_SIZE_BY_DTYPE,
                                            ETS_SIZE_BY_LAYER};
    struct ets_file *file = open_file("conv_xnnpack_int8/model.bpte");
    struct ets_byte_map *map = open_map(file, NULL);
    for (size_t w = 0; w < COUNT(ways); w++) {
        struct ets_arena arena;
        struct ets_size_lines lines;
        uint64_t sum = 0;
        uint32_t items = 0;
        ets_arena_init(&arena, NULL, 0);
        assert_true(ets_size_lines_collect(&arena, map, ways[w], &lines));
        for (uint32_t g = 0; g < lines.group_count; g++) {
            const struct ets_size_group *group = &lines.groups[g];
            uint64_t bytes = 0;
            for (uint32_t i = 0; i < group->item_count; i++) {
                const uint64_t each = map->items[lines.items[group->first + i]].bytes;
                bytes += each;
                if (i > 0) {
                    assert_true(each <= map->items[lines.items[group->first + i - 1]].bytes);
                }
            }
            assert_int_equal(bytes, group->bytes);
            const bool is_sorted =
                g == 0 || ways[w] == ETS_SIZE_BY_LAYER || group->bytes <= lines.groups[g - 1].bytes;
            assert_true(is_sorted);
            sum += bytes;
            items += group->item_count;
        }
        assert_int_equal(sum, map->bytes);
        assert_int_equal(items, map->item_count);
        ets_arena_reset(&arena);
    }
    ets_byte_map_close(map);
    ets_file_close(file);
}

static void test_size_lines__layers_stand_together_the_largest_first(void **state)
{
    (void)state;
    struct ets_file *file = open_file("llama/kv_sdpa.pte"); /* four schemes, no names */
    struct ets_byte_map *map = open_map(file, NULL);
    struct ets_arena arena;
    struct ets_size_lines lines;
    char name[64];
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_size_lines_collect(&arena, map, ETS_SIZE_BY_LAYER, &lines));
    assert_int_equal(lines.group_count, 5);
    uint64_t sum = 0;
    for (uint32_t g = 0; g < 4; g++) {
        sum += lines.groups[g].bytes;
        assert_true(lines.groups[g].is_weights);
        assert_true(lines.groups[g].layer_bytes == lines.groups[0].layer_bytes);
        ets_size_group_name(&lines.groups[g], ETS_SIZE_BY_LAYER, name, sizeof name);
        assert_string_equal(name, "(layer not known)");
    }
    assert_true(sum == lines.groups[0].layer_bytes);
    assert_string_equal(lines.groups[0].scheme, "qbint4, groups of 32");
    assert_false(lines.groups[4].is_weights);
    assert_null(lines.groups[4].scheme);
    ets_size_group_name(&lines.groups[4], ETS_SIZE_BY_LAYER, name, sizeof name);
    assert_string_equal(name, "(no weights)");
    ets_arena_reset(&arena);
    ets_byte_map_close(map);
    ets_file_close(file);
}

/* Draws the picture and fills the table with an allocator that fails at some call. */
static enum ets_status render(const struct ets_byte_map *map, const struct ets_allocator *allocator)
{
    struct ets_table *table;
    struct ets_output *output;
    struct ets_error error = {.message = ""};
    const struct ets_size_table_options options[] = {
        {.for_people = 1, .top = 3}, {.for_people = 1, .groups_only = 1, .by = ETS_SIZE_BY_LAYER}};
    const struct ets_table_style style = {.format = ETS_FORMAT_TABLE};
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    enum ets_status status = ets_treemap_picture_write(map, output, &error);
    for (int i = 0; i < 2 && status == ETS_OK; i++) {
        status = ets_table_open(allocator, &table, &error);
        if (status != ETS_OK) break;
        status = ets_size_table_fill(table, map, &options[i], &error);
        if (status == ETS_OK) status = ets_table_write(table, &style, output, &error);
        ets_table_close(table);
    }
    ets_output_discard(output);
    if (status != ETS_OK) assert_int_equal(error.status, ETS_NO_MEMORY);
    return status;
}

static void test_size_lines__memory_may_end_anywhere(void **state)
{
    (void)state;
    struct ets_file *file = open_file("gpt_xnnpack/model.pte");
    struct failing failing = {.fail_at = ULONG_MAX};
    const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
    struct ets_byte_map *map = open_map(file, &allocator);
    const long live = failing.live;
    unsigned long fail_at = 0;
    for (;; fail_at++) {
        failing.calls = 0;
        failing.fail_at = fail_at;
        const enum ets_status status = render(map, &allocator);
        assert_int_equal(failing.live, live);
        if (status == ETS_OK) break;
        assert_int_equal(status, ETS_NO_MEMORY);
    }
    assert_true(fail_at > 2);
    ets_byte_map_close(map);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_lines__the_answer_names_what_takes_most),
        cmocka_unit_test(test_size_lines__groups_hold_every_item_once),
        cmocka_unit_test(test_size_lines__layers_stand_together_the_largest_first),
        cmocka_unit_test(test_size_lines__memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
