/* Opening: entries, methods, the small maps, old layouts, zips that lie. */
#include "test_record_support.h"

#include "record/record_maps.h"

static void test_etrecord__opens_every_fixture_and_reads_every_entry(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixture_models); i++) {
        struct ets_file *file = open_fixture(fixture_models[i], "model.etrecord");
        const struct ets_bytes bytes = ets_file_bytes(file);
        assert_int_equal(ets_kind_sniff(bytes), ETS_KIND_ETRECORD);
        struct ets_etrecord *record = open_record(bytes);
        const int several = strcmp(fixture_models[i], "multi_method") == 0;
        assert_int_equal(ets_etrecord_entry_count(record), several ? 23 : 15);
        assert_null(ets_etrecord_entry(record, ets_etrecord_entry_count(record)));
        for (size_t j = 0; j < ets_etrecord_entry_count(record); j++) {
            const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, j);
            struct ets_bytes payload;
            assert_int_equal(ets_etrecord_entry_bytes(record, entry->name.data, &payload, NULL),
                             ETS_OK);
            assert_int_equal(payload.size, entry->size);
            assert_ptr_equal(payload.data, bytes.data + entry->offset);
        }
        ets_etrecord_close(record);
        ets_file_close(file);
    }
}

static void test_etrecord__is_told_from_other_files(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("mlp_xnnpack", "model.pte");
    struct ets_etrecord *record;
    struct ets_error error;
    assert_int_not_equal(ets_kind_sniff(ets_file_bytes(file)), ETS_KIND_ETRECORD);
    assert_int_equal(ets_kind_sniff((struct ets_bytes){NULL, 0}), ETS_KIND_EMPTY);
    const enum ets_status status = ets_etrecord_open(ets_file_bytes(file), NULL, &record, &error);
    if (status != ETS_UNAVAILABLE) assert_int_equal(status, ETS_WRONG_KIND);
    ets_file_close(file);
}

static void test_etrecord__answers_the_maps(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("gpt_xnnpack", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    const int64_t *handles, *instructions;
    size_t count;
    int is_list;
    assert_int_equal(ets_etrecord_method_count(record), 1);
    assert_string_equal(ets_etrecord_method_name(record, 0), "forward");
    ets_etrecord_handles(record, "forward", 0, &handles, &count, &is_list);
    assert_int_equal(count, 1);
    assert_int_equal(handles[0], 2);
    assert_false(is_list);
    ets_etrecord_handles(record, "forward", 29, &handles, &count, &is_list);
    static const int64_t expected[] = {8, 10, 9, 11, 14};
    assert_int_equal(count, 5);
    assert_memory_equal(handles, expected, sizeof expected);
    assert_true(is_list);
    ets_etrecord_handles(record, "forward", 1000, &handles, &count, NULL);
    assert_null(handles);
    assert_int_equal(count, 0);
    ets_etrecord_mapped_instructions(record, "forward", &instructions, &count);
    assert_true(count > 60);
    for (size_t i = 1; i < count; i++) assert_true(instructions[i - 1] < instructions[i]);
    assert_string_equal(ets_etrecord_backend(record, "forward", 17), "XnnpackBackend");
    assert_null(ets_etrecord_backend(record, "forward", 16));
    assert_null(ets_etrecord_delegate_identifier(record, "forward", 17, 0));
    assert_int_equal(ets_etrecord_num_outs(record, "forward", 34), 3);
    assert_int_equal(ets_etrecord_num_outs(record, "forward", 35), 1);
    assert_true(ets_etrecord_has_delegate_map(record, "forward"));
    assert_true(ets_etrecord_has_num_outs_map(record, "forward"));
    assert_false(ets_etrecord_has_num_outs_map(record, "backward"));
    assert_true(ets_etrecord_export_graph_id(record) == UINT64_C(140380258373520));
    ets_etrecord_close(record);
    ets_file_close(file);
}

static void test_etrecord__sorts_several_methods(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("multi_method", "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(file));
    static const char *const names[] = {"decode", "encode", "forward"};
    static const size_t mapped[] = {2, 3, 5}, nodes[] = {2, 3, 5};
    assert_int_equal(ets_etrecord_method_count(record), 3);
    assert_null(ets_etrecord_method_name(record, 3));
    for (size_t i = 0; i < 3; i++) {
        const struct ets_graph *graph, *again;
        const int64_t *instructions;
        size_t count;
        assert_string_equal(ets_etrecord_method_name(record, i), names[i]);
        ets_etrecord_mapped_instructions(record, names[i], &instructions, &count);
        assert_int_equal(count, mapped[i]);
        assert_int_equal(ets_etrecord_edge_graph(record, names[i], &graph, NULL), ETS_OK);
        assert_int_equal(graph->node_count, nodes[i]);
        assert_int_equal(ets_etrecord_edge_graph(record, names[i], &again, NULL), ETS_OK);
        assert_ptr_equal(graph, again);
    }
    assert_string_equal(ets_etrecord_graph_name(record, 0), "exported_program");
    assert_string_equal(ets_etrecord_graph_name(record, 1), "edge_dialect_exported_program/decode");
    assert_null(ets_etrecord_graph_name(record, 4));
    const struct ets_graph *graph;
    struct ets_error error;
    assert_int_equal(ets_etrecord_edge_graph(record, "nothing", &graph, &error), ETS_NOT_FOUND);
    assert_non_null(strstr(error.message, "nothing"));
    ets_etrecord_close(record);
    ets_file_close(file);
}

static const char PROGRAM[] =
    "{\"graph_module\": {\"graph\": {\"inputs\": [], \"outputs\": [], "
    "\"nodes\": [{\"name\": \"n\", "
    "\"target\": \"torch.ops.higher_order.executorch_call_delegate\", \"metadata\": "
    "{\"debug_handle\": \"8\"}}]}}}";

static void test_etrecord__accepts_old_layouts(void **state)
{
    (void)state;
    static struct zip_writer zip;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "edge_dialect_exported_program", PROGRAM);
    zip_add_text(&zip, "edge_dialect_exported_program_state_dict", "");
    zip_add_text(&zip, "edge_after_transform/forward", PROGRAM);
    zip_add_text(&zip, "no_folder", PROGRAM);
    zip_add_text(&zip, "no_folder_state_dict", "");
    zip_add_text(&zip, "delegate_info", "{}"); /* of later versions */
    zip_add_text(&zip, "debug_handle_map", "{}");
    zip_add_text(&zip, "delegate_map", "{}");
    struct ets_etrecord *record = open_record(zip_finish(&zip, NULL));
    const struct ets_graph *graph;
    const struct ets_named_value *values;
    const struct ets_value *inputs;
    size_t count;
    assert_int_equal(ets_etrecord_method_count(record), 1);
    assert_string_equal(ets_etrecord_method_name(record, 0), "forward");
    assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
    assert_string_equal(graph->nodes[0].op.data, "executorch_call_delegate");
    assert_int_equal(graph->nodes[0].debug_handle, 8);
    assert_null(graph->nodes[0].stack_trace.data);
    assert_null(ets_graph_user_frame(&graph->nodes[0]));
    assert_null(ets_graph_module_path(&graph->nodes[0]).data);
    assert_int_equal(ets_etrecord_graph(record, "edge_after_transform", &graph, NULL), ETS_OK);
    assert_int_equal(ets_etrecord_graph(record, "debug_handle_map", &graph, NULL), ETS_NOT_FOUND);
    assert_int_equal(ets_etrecord_graph(record, "no_folder", &graph, NULL), ETS_OK);
    assert_int_equal(ets_etrecord_graph(record, "delegate_info", &graph, NULL), ETS_NOT_FOUND);
    assert_string_equal(ets_etrecord_graph_name(record, 1), "edge_after_transform/forward");
    assert_string_equal(ets_etrecord_graph_name(record, 2), "no_folder");
    assert_null(ets_etrecord_graph_name(record, 3));
    assert_int_equal(ets_etrecord_aten_graph(record, &graph, NULL), ETS_NOT_FOUND);
    assert_false(ets_etrecord_has_delegate_map(record, "forward"));
    assert_false(ets_etrecord_has_num_outs_map(record, "forward"));
    assert_true(ets_etrecord_export_graph_id(record) == 0);
    assert_int_equal(ets_etrecord_num_outs(record, "forward", 0), 1);
    assert_int_equal(ets_etrecord_named_values(record, "edge_dialect_exported_program_state_dict",
                                               &values, &count, NULL),
                     ETS_OK);
    assert_int_equal(count, 0);
    assert_int_equal(ets_etrecord_named_values(record, "edge_dialect_exported_program_constants",
                                               &values, &count, NULL),
                     ETS_NOT_FOUND);
    assert_int_equal(ets_etrecord_representative_inputs(record, &inputs, &count, NULL),
                     ETS_NOT_FOUND);
    assert_int_equal(ets_etrecord_reference_case_count(record, "forward", &count, NULL), ETS_OK);
    assert_int_equal(count, 0);
    ets_etrecord_close(record);
}

static void test_etrecord__tells_where_weights_were_left_out(void **state)
{
    (void)state;
    static struct zip_writer zip;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "exported_program", PROGRAM);
    zip_add_text(&zip, "exported_program_state_dict", "weights");
    zip_add_text(&zip, "exported_program_constants", "");
    zip_add_text(&zip, "edge_dialect_exported_program/a", PROGRAM);
    zip_add_text(&zip, "edge_dialect_exported_program/a_state_dict", "");
    zip_add_text(&zip, "edge_dialect_exported_program/a_constants", "constants");
    zip_add_text(&zip, "edge_dialect_exported_program/b", PROGRAM);
    zip_add_text(&zip, "edge_dialect_exported_program/b_state_dict", "weights");
    struct ets_etrecord *record = open_record(zip_finish(&zip, NULL));
    assert_false(ets_etrecord_has_weights(record, "exported_program"));
    assert_false(ets_etrecord_has_weights(record, "edge_dialect_exported_program/a"));
    assert_true(ets_etrecord_has_weights(record, "edge_dialect_exported_program/b"));
    assert_false(ets_etrecord_has_weights(record, "nothing"));
    ets_etrecord_close(record);
}

static void test_etrecord__matches_delegate_identifiers_exactly(void **state)
{
    (void)state;
    static struct zip_writer zip;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "debug_handle_map", "{\"m\": {\"10\": [], \"9\": 4, \"10\": [5, 5]}}");
    zip_add_text(&zip, "delegate_map",
                 "{\"m\": {\"10\": {\"name\": \"B\", \"delegate_map\": "
                 "{\"z\": [1], \"10\": [2, 3], "
                 "\"1\": []}}, \"11\": {\"name\": \"C\", \"delegate_map\": null}}}");
    struct ets_etrecord *record = open_record(zip_finish(&zip, NULL));
    const int64_t *handles;
    size_t count;
    ets_etrecord_handles(record, "m", 10, &handles, &count, NULL);
    assert_int_equal(count, 2); /* the last of equal keys counts */
    ets_etrecord_delegate_handles(record, "m", 10, (struct ets_text){"10", 2}, &handles, &count);
    assert_int_equal(count, 2);
    assert_int_equal(handles[1], 3);
    ets_etrecord_delegate_handles(record, "m", 10, (struct ets_text){"1", 1}, &handles, &count);
    assert_non_null(handles);
    assert_int_equal(count, 0);
    ets_etrecord_delegate_handles(record, "m", 10, (struct ets_text){"100", 3}, &handles, &count);
    assert_null(handles);
    assert_string_equal(ets_etrecord_delegate_identifier(record, "m", 10, 0), "z");
    assert_string_equal(ets_etrecord_delegate_identifier(record, "m", 10, 2), "1");
    assert_null(ets_etrecord_delegate_identifier(record, "m", 10, 3));
    assert_string_equal(ets_etrecord_backend(record, "m", 11), "C");
    ets_etrecord_close(record);
}

/* Changes one number of the record's directory, or of a local header, and opens it. */
static void check_lie(size_t from_directory, size_t field, uint64_t value, size_t bytes,
                      enum ets_status expected, const char *part)
{
    static struct zip_writer zip;
    size_t directory;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "debug_handle_map", "{\"forward\": {}}");
    const struct ets_bytes bytes_out = zip_finish(&zip, &directory);
    put_number(zip.data + (from_directory == SIZE_MAX ? 0 : directory + from_directory) + field,
               value, bytes);
    struct ets_etrecord *record = NULL;
    struct ets_error error;
    const enum ets_status status = ets_etrecord_open(bytes_out, NULL, &record, &error);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    if (status != expected) print_error("%s: %s\n", part, error.message);
    assert_int_equal(status, expected);
    assert_non_null(strstr(error.message, part));
    assert_true(error.offset < bytes_out.size);
}

static void test_zip__that_lies_is_one_clear_error(void **state)
{
    (void)state;
    const size_t second = 46 + 11, end = second + 46 + 16;
    check_lie(second, 20, 1 << 20, 4, ETS_MALFORMED, "debug_handle_map"); /* packed size */
    check_lie(second, 24, 1, 4, ETS_MALFORMED, "debug_handle_map");       /* size */
    check_lie(second, 42, 1 << 30, 4, ETS_MALFORMED, "debug_handle_map"); /* header offset */
    check_lie(second, 42, 0, 4, ETS_MALFORMED, "another name");           /* overlap */
    check_lie(second, 16, 1, 4, ETS_MALFORMED, "CRC-32");
    check_lie(second, 8, 1, 2, ETS_UNSUPPORTED, "encrypted");
    check_lie(second, 10, 99, 2, ETS_UNSUPPORTED, "method 99");
    check_lie(second, 10, 8, 2, ETS_MALFORMED, "deflate stream");
    check_lie(second, 28, 15, 2, ETS_MALFORMED, "another name"); /* name length */
    check_lie(second, 28, 60000, 2, ETS_MALFORMED, "directory");
    check_lie(second, 24, UINT32_MAX, 4, ETS_MALFORMED, "directory"); /* zip64 without extra */
    check_lie(end, 10, 60000, 2, ETS_MALFORMED, "60000 entries");
    check_lie(end, 16, 1 << 30, 4, ETS_MALFORMED, "outside");
    check_lie(end, 4, 3, 2, ETS_UNSUPPORTED, "one part");
    check_lie(SIZE_MAX, 26, 5, 2, ETS_MALFORMED, "another name"); /* local name length */
}

static void test_zip__with_a_name_twice_is_malformed(void **state)
{
    (void)state;
    static struct zip_writer zip;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "delegate_map", "{}");
    zip_add_text(&zip, "delegate_map", "{}");
    struct ets_etrecord *record;
    struct ets_error error;
    const enum ets_status status = ets_etrecord_open(zip_finish(&zip, NULL), NULL, &record, &error);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(status, ETS_MALFORMED);
    assert_non_null(strstr(error.message, "delegate_map occurs twice"));
}

static void test_etrecord__names_entry_and_place_of_broken_json(void **state)
{
    (void)state;
    static struct zip_writer zip;
    zip = (struct zip_writer){.size = 0};
    zip_add_text(&zip, "ETRECORD_V0", "");
    zip_add_text(&zip, "debug_handle_map", "{\"forward\": {\"0\": ]}}");
    struct ets_etrecord *record;
    struct ets_error error;
    const enum ets_status status = ets_etrecord_open(zip_finish(&zip, NULL), NULL, &record, &error);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    assert_int_equal(status, ETS_MALFORMED);
    assert_non_null(strstr(error.message, "debug_handle_map"));
    assert_int_equal(error.offset, 30 + 11 + 30 + 16 + 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etrecord__opens_every_fixture_and_reads_every_entry),
        cmocka_unit_test(test_etrecord__is_told_from_other_files),
        cmocka_unit_test(test_etrecord__answers_the_maps),
        cmocka_unit_test(test_etrecord__sorts_several_methods),
        cmocka_unit_test(test_etrecord__accepts_old_layouts),
        cmocka_unit_test(test_etrecord__tells_where_weights_were_left_out),
        cmocka_unit_test(test_etrecord__matches_delegate_identifiers_exactly),
        cmocka_unit_test(test_zip__that_lies_is_one_clear_error),
        cmocka_unit_test(test_zip__with_a_name_twice_is_malformed),
        cmocka_unit_test(test_etrecord__names_entry_and_place_of_broken_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
