/* The tree of modules: its own times add up to the run, to the tick; damage to memory. */
#include "test_inspect_support.h"

#include "inspect/patterns.h"

#include "views/operator_lines.h"

struct subject {
    struct ets_file *dump, *record_file, *program_file;
    struct ets_etrecord *record;
    struct ets_program program;
    struct ets_inspection *inspection;
    struct ets_arena arena;
};

static void open_subject(const char *model, int with_program, struct subject *s)
{
    *s = (struct subject){.dump = open_fixture(model, "profile.etdp")};
    s->record_file = open_fixture(model, "model.etrecord");
    s->record = open_record(ets_file_bytes(s->record_file));
    s->program_file = open_fixture(model, "model.pte");
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->program_file), NULL), ETS_OK);
    s->inspection = inspect(ets_file_bytes(s->dump),
                            (struct ets_inspect_options){
                                .record = s->record, .program = with_program ? &s->program : NULL});
    ets_arena_init(&s->arena, NULL, 0);
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_inspection_close(s->inspection);
    ets_etrecord_close(s->record);
    ets_file_close(s->program_file);
    ets_file_close(s->record_file);
    ets_file_close(s->dump);
}

static struct ets_operator_lines lines_of(struct subject *s, uint32_t block,
                                          struct ets_operator_options options)
{
    struct ets_operator_lines lines;
    struct ets_chosen_runs runs;
    assert_true(ets_chosen_runs_find(&s->arena, s->inspection, block, options.run, 0, &runs));
    assert_true(
        ets_operator_lines_by_group(&s->arena, s->inspection, &options, &runs, block, &lines));
    return lines;
}

/* The first block that executes. */
static uint32_t execution(const struct subject *s)
{
    uint32_t block = 0;
    while (ets_inspection_total_row(s->inspection, block) == ETS_NO_INDEX) block++;
    return block;
}

static const struct ets_operator_options whole_tree = {
    .group_by = ETS_GROUP_MODULE, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};

/* Sums of whole ticks are exact in doubles, so that nothing but equality will do. */
static void check_sums(struct subject *s, uint32_t block, uint32_t run)
{
    struct ets_operator_options options = whole_tree;
    struct ets_statistics expected;
    const uint32_t total = ets_inspection_total_row(s->inspection, block);
    if (total == ETS_NO_INDEX) return;
    assert_int_equal(ets_inspection_row_statistics(s->inspection, total, run, &expected, NULL),
                     ETS_OK);
    options.run = run;
    for (options.depth = 0; options.depth < 4; options.depth++) {
        const struct ets_operator_lines lines = lines_of(s, block, options);
        double own = 0, outermost = 0;
        for (uint32_t i = 0; i < lines.count; i++) {
            const struct ets_operator_line *line = &lines.items[i];
            own += line->self.statistics.total;
            if (line->parent == ETS_NO_INDEX) outermost += line->times.statistics.total;
            else assert_true(line->parent < i);
        }
        assert_true(lines.is_tree);
        assert_true(own == expected.total);
        assert_true(outermost == expected.total);
    }
}

static void test_module_tree__own_times_add_up_to_the_run(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_xnnpack", "gpt_portable", "conv_xnnpack", "map_loop",
                                         "cond",        "multi_method", "mlp_xnnpack"};
    for (size_t m = 0; m < COUNT(models); m++) {
        for (int with_program = 0; with_program < 2; with_program++) {
            struct subject s;
            open_subject(models[m], with_program, &s);
            for (uint32_t b = 0; b < ets_inspection_block_count(s.inspection); b++) {
                check_sums(&s, b, ETS_NO_INDEX);
                check_sums(&s, b, ets_inspection_block(s.inspection, b)->first_run);
            }
            close_subject(&s);
        }
    }
}

/* A line holds its own time and that of the lines that are its parts, and nothing else. */
static void test_module_tree__a_module_holds_its_parts(void **state)
{
    (void)state;
    struct subject s;
    open_subject("gpt_xnnpack", 1, &s);
    const struct ets_operator_lines lines = lines_of(&s, execution(&s), whole_tree);
    uint32_t parents = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        double sum = lines.items[i].self.statistics.total;
        double calls = 0;
        for (uint32_t k = i + 1; k < lines.count; k++) {
            if (lines.items[k].parent != i) continue;
            assert_int_equal(lines.items[k].depth, lines.items[i].depth + 1);
            sum += lines.items[k].times.statistics.total;
            calls += lines.items[k].calls_per_run;
        }
        assert_true(sum == lines.items[i].times.statistics.total);
        assert_true(calls <= lines.items[i].calls_per_run);
        parents += calls > 0;
    }
    assert_true(parents >= 4); /* (model), blocks, blocks.0, blocks.1 */
    close_subject(&s);
}

/* Whatever the groups are of, with what lies between operators they are the run. */
static void test_operator_groups__add_up_to_the_run(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_xnnpack", "conv_xnnpack", "map_loop", "multi_method"};
    static const enum ets_group_by groups[] = {ETS_GROUP_SOURCE, ETS_GROUP_BACKEND, ETS_GROUP_FILE,
                                               ETS_GROUP_HANDLE};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct subject s;
        open_subject(models[m], 1, &s);
        const uint32_t block = execution(&s);
        struct ets_statistics expected;
        assert_int_equal(ets_inspection_row_statistics(
                             s.inspection, ets_inspection_total_row(s.inspection, block),
                             ETS_NO_INDEX, &expected, NULL),
                         ETS_OK);
        for (size_t g = 0; g < COUNT(groups); g++) {
            struct ets_operator_options options = whole_tree;
            options.group_by = groups[g];
            const struct ets_operator_lines lines = lines_of(&s, block, options);
            double sum = 0;
            for (uint32_t i = 0; i < lines.count; i++) sum += lines.items[i].times.statistics.total;
            assert_true(sum == expected.total);
        }
        close_subject(&s);
    }
}

/* What several modules share stands under what holds them, by all their names. */
static void test_module_tree__a_fused_operator_is_a_line_of_its_own(void **state)
{
    (void)state;
    struct subject s;
    open_subject("conv_xnnpack", 1, &s);
    const struct ets_operator_lines lines = lines_of(&s, execution(&s), whole_tree);
    uint32_t found = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_operator_line *line = &lines.items[i];
        if (line->group.count < 2) continue;
        found++;
        assert_text(ets_places_name(lines.places, ETS_PLACE_MODULE, line->group.items[0]), "c1");
        assert_text(lines.items[line->parent].name, "(model)");
        assert_true(line->self.statistics.total == line->times.statistics.total);
    }
    assert_int_equal(found, 1);
    close_subject(&s);
}

static void test_module_tree__sorting_keeps_parts_with_their_module(void **state)
{
    (void)state;
    struct subject s;
    open_subject("gpt_xnnpack", 1, &s);
    for (int sort = ETS_SORT_TIME; sort <= ETS_SORT_NAME; sort++) {
        struct ets_operator_lines lines = lines_of(&s, execution(&s), whole_tree);
        const uint32_t count = lines.count;
        assert_true(ets_operator_lines_sort(&s.arena, (enum ets_sort_by)sort, &lines));
        assert_int_equal(lines.count, count);
        uint32_t path[64];
        for (uint32_t i = 0; i < count; i++) {
            const struct ets_operator_line *line = &lines.items[i];
            if (line->depth > 0) assert_int_equal(path[line->depth - 1], line->parent);
            else assert_int_equal(line->parent, ETS_NO_INDEX);
            path[line->depth] = line->order;
        }
    }
    close_subject(&s);
}

static void test_module_tree__survives_every_failed_allocation(void **state)
{
    (void)state;
    struct subject s;
    open_subject("conv_xnnpack", 1, &s);
    bool ok = false;
    for (unsigned long fail_at = 0; !ok; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_operator_lines lines;
        ets_arena_init(&arena, &allocator, 0);
        struct ets_chosen_runs runs;
        ok = ets_chosen_runs_find(&arena, s.inspection, execution(&s), ETS_NO_INDEX, 0, &runs) &&
             ets_operator_lines_by_group(&arena, s.inspection, &whole_tree, &runs, execution(&s),
                                         &lines) &&
             ets_operator_lines_sort(&arena, ETS_SORT_TIME, &lines);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    close_subject(&s);
}

static void test_row_filter__patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        int expected;
    } cases[] = {{"addmm.out", "addmm.out", 1},
                 {"addmm", "addmm.out", 0},
                 {"addmm*", "addmm.out", 1},
                 {"*", "", 1},
                 {"", "", 1},
                 {"", "a", 0},
                 {"?", "", 0},
                 {"*.out", "a.out.out", 1},
                 {"a*b*c", "aXbYbZc", 1},
                 {"a*b*c", "aXbYbZ", 0},
                 {"**a", "bca", 1},
                 {"?dd", "add", 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ets_text text = {cases[i].text, strlen(cases[i].text)};
        assert_int_equal(ets_pattern_matches(cases[i].pattern, text), cases[i].expected);
    }
    assert_int_equal(ets_pattern_matches("*", (struct ets_text){NULL, 0}), 0);
}

static void test_row_filter__an_operator_may_go_without_its_overload(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        int expected;
    } cases[] = {
        {"add", "add.out", 1},   {"add.out", "add.out", 1},
        {"add", "addmm.out", 0}, {"mul*", "mul.Scalar_out", 1},
        {"add.", "add.out", 0},  {"aten::mul", "aten::mul.Scalar_out", 1},
        {"out", "add.out", 0},   {"add", "", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ets_text name = {cases[i].name, strlen(cases[i].name)};
        assert_int_equal(ets_operator_matches(cases[i].pattern, name), cases[i].expected);
    }
    assert_int_equal(ets_operator_matches("add", (struct ets_text){NULL, 0}), 0);
}

static void test_row_filter__paths_end_in_whole_names(void **state)
{
    (void)state;
    const struct ets_text path = {"/a/models/zoo.py", 16};
    assert_true(ets_path_ends_with(path, "zoo.py"));
    assert_true(ets_path_ends_with(path, "models/zoo.py"));
    assert_true(ets_path_ends_with(path, "/a/models/zoo.py"));
    assert_false(ets_path_ends_with(path, "oo.py"));
    assert_false(ets_path_ends_with(path, ""));
    assert_false(ets_path_ends_with((struct ets_text){NULL, 0}, "zoo.py"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_filter__an_operator_may_go_without_its_overload),
        cmocka_unit_test(test_module_tree__own_times_add_up_to_the_run),
        cmocka_unit_test(test_module_tree__a_module_holds_its_parts),
        cmocka_unit_test(test_operator_groups__add_up_to_the_run),
        cmocka_unit_test(test_module_tree__a_fused_operator_is_a_line_of_its_own),
        cmocka_unit_test(test_module_tree__sorting_keeps_parts_with_their_module),
        cmocka_unit_test(test_module_tree__survives_every_failed_allocation),
        cmocka_unit_test(test_row_filter__patterns),
        cmocka_unit_test(test_row_filter__paths_end_in_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
