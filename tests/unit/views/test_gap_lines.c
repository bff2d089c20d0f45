/* Compared values as they are shown. */
#include "test_gap_support.h"

#include "base/text.h"
#include "views/gap_lines.h"

static const char *const models[] = {"mlp_portable", "conv_xnnpack_int8", "cond"};

static void gap_lines__name_the_nodes_that_a_value_is_of(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT(models); m++) {
        struct errors e;
        struct ets_arena arena;
        open_errors(models[m], &e);
        ets_arena_init(&arena, NULL, 0);
        assert_true(ets_gap_row_count(e.report) > 0);
        for (uint32_t i = 0; i < ets_gap_row_count(e.report); i++) {
            struct ets_gap_line line;
            assert_int_equal(ets_gap_line_make(&line, &arena, e.inspection, e.report, i, NULL),
                             ETS_OK);
            const struct ets_graph_node *own = line.of->value->node;
            assert_ptr_equal(line.of, ets_gap_row(e.report, i));
            assert_true(ets_text_equal(line.nodes.names.items[0], line.nodes.named->name));
            if (ets_gap_computes(own)) assert_ptr_equal(line.nodes.named, own);
            assert_int_equal(line.ops.count, line.nodes.count);
            assert_int_equal(line.ancestors.count, line.nodes.row_count);
            assert_true(line.nodes.names.count >= line.nodes.count);
            assert_true(line.traces.count <= line.ops.count);
            const struct ets_graph_frame *frame = ets_graph_user_frame(line.placed);
            assert_int_equal(line.source.size > 0, frame != NULL);
            for (size_t k = 0; k < line.ancestors.count; k++) {
                assert_true(line.nodes.rows[k] < ets_gap_row_count(e.report));
            }
        }
        ets_arena_reset(&arena);
        close_errors(&e);
    }
}

static void gap_lines__without_memory_there_is_none(void **state)
{
    (void)state;
    struct errors e;
    bool is_made = false;
    open_errors("conv_xnnpack_int8", &e);
    for (unsigned long n = 0; !is_made; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_gap_line line;
        struct ets_error error = {.status = ETS_OK};
        ets_arena_init(&arena, &allocator, 0);
        is_made = ets_gap_line_make(&line, &arena, e.inspection, e.report, 0, &error) == ETS_OK;
        assert_int_equal(error.status, is_made ? ETS_OK : ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    close_errors(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_lines__name_the_nodes_that_a_value_is_of),
        cmocka_unit_test(gap_lines__without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
