/* Instructions and what delegates run, joined with the rows and times of a trace. */
#include "test_inspect_support.h"

#include <math.h>

#include "views/delegate_lines.h"

struct subject {
    struct ets_file *dump, *program_file;
    struct ets_program program;
    struct ets_inspection *inspection;
    struct ets_delegation *delegations;
    struct ets_arena arena;
};

static struct subject open_subject(const char *model)
{
    struct subject s = {.dump = open_fixture(model, "profile.etdp"),
                        .program_file = open_fixture(model, "model.pte")};
    assert_int_equal(ets_program_init(&s.program, ets_file_bytes(s.program_file), NULL), ETS_OK);
    s.inspection =
        inspect(ets_file_bytes(s.dump), (struct ets_inspect_options){.program = &s.program});
    const struct ets_delegation_options options = {.program = &s.program};
    assert_int_equal(ets_delegation_open(&options, &s.delegations, NULL), ETS_OK);
    ets_arena_init(&s.arena, NULL, 0);
    return s;
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_delegation_close(s->delegations);
    ets_inspection_close(s->inspection);
    ets_file_close(s->program_file);
    ets_file_close(s->dump);
}

static struct ets_delegate_sections find_sections(struct subject *s, bool has_trace)
{
    struct ets_delegate_sections sections;
    assert_true(ets_delegate_sections_find(&s->arena, s->delegations,
                                           has_trace ? s->inspection : NULL, &sections));
    return sections;
}

static struct ets_delegate_lines collect(struct subject *s,
                                         const struct ets_delegate_section *section,
                                         bool calls_only)
{
    struct ets_delegate_lines lines;
    assert_true(ets_delegate_lines_collect(&s->arena, section, calls_only, &lines));
    return lines;
}

/* Steps and units in order, with the times of the row that each line names. */
static void test_delegate_lines__lines_are_steps_and_units_with_their_rows(void **state)
{
    (void)state;
    struct subject s = open_subject("conv_xnnpack");
    const struct ets_delegate_sections sections = find_sections(&s, true);
    assert_int_equal(sections.count, 1);
    assert_int_equal(sections.items[0].block, 1);
    const struct ets_delegate_lines lines = collect(&s, &sections.items[0], false);
    assert_int_equal(lines.count, 9);
    assert_int_equal(lines.partition_count, 1);
    assert_int_equal(lines.inside_count, 8);
    assert_int_equal(lines.outside_count, 0);
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_delegate_line *line = &lines.items[i];
        const struct ets_row *row = ets_inspection_row(s.inspection, line->row);
        struct ets_statistics times;
        assert_int_equal(line->unit, i == 0 ? ETS_NO_INDEX : i - 1);
        assert_ptr_equal(ets_delegate_line_unit(line), i == 0 ? NULL : &line->step->units[i - 1]);
        assert_int_equal(row->instruction, line->step->instruction);
        assert_int_equal(row->is_delegated, i > 0);
        assert_int_equal(
            ets_inspection_row_statistics(s.inspection, line->row, ETS_NO_INDEX, &times, NULL),
            ETS_OK);
        assert_true(line->p50 == times.p50);
        assert_true(line->resolution == (double)row->quantum_ticks * row->calls_per_run);
        assert_true(line->middle > 0 || i > 0);
    }
    assert_true(lines.delegated_share == lines.items[0].middle / lines.whole);
    const struct ets_delegate_lines calls = collect(&s, &sections.items[0], true);
    assert_int_equal(calls.count, 1);
    assert_int_equal(calls.inside_count, 8); /* though not listed */
    assert_true(calls.items[0].middle == lines.items[0].middle);
    close_subject(&s);
}

static void test_delegate_lines__each_method_has_a_section(void **state)
{
    (void)state;
    struct subject s = open_subject("multi_method");
    const struct ets_delegate_sections sections = find_sections(&s, true);
    uint32_t step = 0;
    assert_int_equal(sections.count, 3);
    for (uint32_t i = 0; i < sections.count; i++) {
        const struct ets_delegate_section *section = &sections.items[i];
        const struct ets_block *block = ets_inspection_block(s.inspection, section->block);
        assert_int_equal(section->first_step, step);
        assert_string_equal(block->method,
                            ets_delegation_step_at(s.delegations, step)->method_name);
        const struct ets_delegate_lines lines = collect(&s, section, false);
        assert_int_equal(lines.count, section->end_step - section->first_step);
        assert_int_equal(lines.outside_count, lines.count);
        assert_true(lines.delegated_share == 0);
        step = section->end_step;
    }
    assert_int_equal(step, ets_delegation_count(s.delegations));
    close_subject(&s);
}

static void test_delegate_lines__without_a_trace_there_are_no_times(void **state)
{
    (void)state;
    struct subject s = open_subject("conv_xnnpack");
    const struct ets_delegate_sections sections = find_sections(&s, false);
    assert_int_equal(sections.count, 1);
    assert_int_equal(sections.items[0].block, ETS_NO_INDEX);
    const struct ets_delegate_lines lines = collect(&s, &sections.items[0], false);
    assert_int_equal(lines.count, 9);
    assert_true(isnan(lines.whole) && isnan(lines.delegated_share));
    for (uint32_t i = 0; i < lines.count; i++) {
        assert_int_equal(lines.items[i].row, ETS_NO_INDEX);
        assert_true(isnan(lines.items[i].middle) && isnan(lines.items[i].p50));
    }
    close_subject(&s);
}

/* A trace of another program has no block of the method: the section is there, without times. */
static void test_delegate_lines__a_method_that_did_not_run_has_a_section(void **state)
{
    (void)state;
    struct subject s = open_subject("conv_xnnpack"), other = open_subject("multi_method");
    struct ets_delegate_sections sections;
    assert_true(ets_delegate_sections_find(&s.arena, other.delegations, s.inspection, &sections));
    assert_int_equal(sections.count, 3);
    assert_int_equal(sections.items[0].block, ETS_NO_INDEX);
    assert_int_equal(sections.items[2].block, 1); /* "forward" is the name of its method, too */
    const struct ets_delegate_lines lines = collect(&s, &sections.items[0], false);
    assert_int_equal(lines.items[0].row, ETS_NO_INDEX);
    assert_true(isnan(lines.delegated_share));
    close_subject(&other);
    close_subject(&s);
}

static void test_delegate_lines__every_piece_of_memory_may_be_missing(void **state)
{
    (void)state;
    struct subject s = open_subject("conv_xnnpack");
    const struct ets_delegate_sections sections = find_sections(&s, true);
    bool ok = false;
    for (size_t limit = 1; !ok; limit += 8) {
        struct ets_arena arena;
        struct ets_delegate_sections again;
        struct ets_delegate_lines lines;
        ets_arena_init(&arena, NULL, limit);
        const bool has_sections =
            ets_delegate_sections_find(&arena, s.delegations, s.inspection, &again);
        ok = has_sections && ets_delegate_lines_collect(&arena, &sections.items[0], false, &lines);
        if (ok) assert_int_equal(lines.count, 9);
        ets_arena_reset(&arena);
        assert_true(limit < 100000);
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delegate_lines__lines_are_steps_and_units_with_their_rows),
        cmocka_unit_test(test_delegate_lines__each_method_has_a_section),
        cmocka_unit_test(test_delegate_lines__without_a_trace_there_are_no_times),
        cmocka_unit_test(test_delegate_lines__a_method_that_did_not_run_has_a_section),
        cmocka_unit_test(test_delegate_lines__every_piece_of_memory_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
