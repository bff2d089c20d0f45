/* Lines, modules and handles as numbers: what is equal, what stays apart, damage to memory. */
#include "test_inspect_support.h"

#include "views/places.h"

enum { LONG_PATH = 5000 };

/* Two paths of LONG_PATH characters that differ in the last one alone. */
struct paths {
    char left[LONG_PATH + 1], right[LONG_PATH + 1];
};

static void make_paths(struct paths *paths)
{
    memset(paths->left, 'a', LONG_PATH);
    memset(paths->right, 'a', LONG_PATH);
    paths->left[LONG_PATH - 1] = 'l';
    paths->left[LONG_PATH] = paths->right[LONG_PATH] = '\0';
}

static struct ets_graph_frame frame_at(const char *file, uint32_t line)
{
    return (struct ets_graph_frame){
        .file = {file, strlen(file)}, .line = line, .place = {"shown", 5}};
}

static void test_places__lines_are_pairs_of_file_and_line(void **state)
{
    (void)state;
    static struct paths paths;
    struct ets_arena arena;
    make_paths(&paths);
    ets_arena_init(&arena, NULL, 0);
    struct ets_places *places = ets_places_new(&arena);
    assert_non_null(places);
    const struct ets_graph_frame frames[] = {
        frame_at(paths.left, 7), frame_at(paths.right, 7), frame_at(paths.left, 8),
        frame_at("a.py", 7),     frame_at("", 7),          frame_at("a.py:7", 7),
    };
    for (uint32_t i = 0; i < COUNT(frames); i++) {
        assert_int_equal(ets_places_line(places, &frames[i]), i);
        assert_ptr_equal(ets_places_frame(places, i), &frames[i]);
    }
    for (uint32_t i = 0; i < COUNT(frames); i++) {
        const struct ets_graph_frame again = frames[i];
        assert_int_equal(ets_places_line(places, &again), i);
    }
    assert_int_equal(ets_places_file_of(places, 0), ets_places_file_of(places, 2));
    assert_int_not_equal(ets_places_file_of(places, 0), ets_places_file_of(places, 1));
    assert_int_equal(ets_places_file_count(places), 5);
    ets_arena_reset(&arena);
}

static void test_places__lists_are_equal_in_all_or_not(void **state)
{
    (void)state;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct ets_places *places = ets_places_new(&arena);
    assert_non_null(places);
    static uint32_t items[][2] = {{0, 1}, {1, 0}, {0, 0}, {1, 2}};
    uint32_t numbers[COUNT(items) * 4];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(items); i++) {
        for (uint32_t size = 1; size <= 2; size++) {
            for (int kind = ETS_PLACE_LINE; kind <= ETS_PLACE_MODULE; kind += 2) {
                const struct ets_numbers list = {items[i], size};
                numbers[count++] = ets_places_list(places, (enum ets_place_kind)kind, &list);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            const size_t left = i / 4, right = k / 4;
            const bool is_short = i / 2 % 2 == 0 && k / 2 % 2 == 0;
            const bool is_same = i % 2 == k % 2 && is_short && items[left][0] == items[right][0];
            assert_int_equal(numbers[i] == numbers[k], is_same);
        }
    }
    ets_arena_reset(&arena);
}

/* Names that hold what names are joined with. */
static void test_places__names_cannot_make_two_lists_one(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_text names[2];
    ets_arena_init(&arena, NULL, 0);
    struct ets_places *places = ets_places_new(&arena);
    assert_non_null(places);
    uint32_t both = ets_places_module(places, (struct ets_text){"a, b", 4});
    uint32_t each[] = {ets_places_module(places, (struct ets_text){"a", 1}),
                       ets_places_module(places, (struct ets_text){"b", 1})};
    const struct ets_numbers one = {&both, 1}, two = {each, 2};
    assert_int_not_equal(ets_places_list(places, ETS_PLACE_MODULE, &one),
                         ets_places_list(places, ETS_PLACE_MODULE, &two));
    assert_true(ets_places_names(places, ETS_PLACE_MODULE, &one, &names[0]));
    assert_true(ets_places_names(places, ETS_PLACE_MODULE, &two, &names[1]));
    assert_text(names[0], "a, b");
    assert_text(names[1], "a, b");
    const uint32_t model = ets_places_module(places, (struct ets_text){"", 0});
    assert_text(ets_places_name(places, ETS_PLACE_MODULE, model), "(model)");
    ets_arena_reset(&arena);
}

/* A line is there once, however many nodes of a row have it; so is a handle. */
static void test_places__a_row_has_each_place_once(void **state)
{
    (void)state;
    static const struct ets_graph_module modules[] = {{.path = {"a", 1}}, {.path = {"b", 1}}};
    const struct ets_graph_frame frames[] = {frame_at("m.py", 2), frame_at("m.py", 1)};
    const struct ets_graph_node nodes[] = {
        {.frames = &frames[0], .frame_count = 1, .modules = &modules[1], .module_count = 1},
        {.frames = &frames[1], .frame_count = 1, .modules = &modules[0], .module_count = 1},
        {.frame_count = 0},
    };
    const struct ets_row_node links[] = {
        {&nodes[0], 5}, {&nodes[1], -6}, {&nodes[2], 5}, {&nodes[0], 5}, {&nodes[1], -6}};
    const int64_t handles[] = {5, -6, 5};
    const struct ets_row row = {
        .nodes = links, .node_count = 5, .handles = handles, .handle_count = 3};
    struct ets_numbers lines, files, paths, numbers;
    struct ets_text names;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct ets_places *places = ets_places_new(&arena);
    assert_non_null(places);
    for (int again = 0; again < 2; again++) {
        assert_true(ets_places_of_row(places, &row, &lines, &paths));
        assert_true(ets_places_files_of_row(places, &row, &files));
        assert_true(ets_places_handles_of_row(places, &row, &numbers));
        assert_int_equal(lines.count, 2);
        assert_int_equal(files.count, 1);
        assert_true(ets_places_names(places, ETS_PLACE_MODULE, &paths, &names));
        assert_text(names, "b, a");
        assert_true(ets_places_names(places, ETS_PLACE_HANDLE, &numbers, &names));
        assert_text(names, "5, -6");
    }
    ets_arena_reset(&arena);
}

static void test_places__survive_every_failed_allocation(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("gpt_xnnpack", "profile.etdp");
    struct ets_file *record_file = open_fixture("gpt_xnnpack", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(record_file));
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(file), (struct ets_inspect_options){.record = record});
    bool ok = false;
    for (unsigned long fail_at = 0; !ok; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_numbers lines, modules, files, handles;
        ets_arena_init(&arena, &allocator, 0);
        struct ets_places *places = ets_places_new(&arena);
        ok = places != NULL;
        for (uint32_t i = 0; ok && i < ets_inspection_row_count(inspection); i++) {
            const struct ets_row *row = ets_inspection_row(inspection, i);
            ok = ets_places_of_row(places, row, &lines, &modules) &&
                 ets_places_files_of_row(places, row, &files) &&
                 ets_places_handles_of_row(places, row, &handles) &&
                 ets_places_list(places, ETS_PLACE_LINE, &lines) != ETS_NO_INDEX;
        }
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    ets_inspection_close(inspection);
    ets_etrecord_close(record);
    ets_file_close(record_file);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places__lines_are_pairs_of_file_and_line),
        cmocka_unit_test(test_places__lists_are_equal_in_all_or_not),
        cmocka_unit_test(test_places__names_cannot_make_two_lists_one),
        cmocka_unit_test(test_places__a_row_has_each_place_once),
        cmocka_unit_test(test_places__survive_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
