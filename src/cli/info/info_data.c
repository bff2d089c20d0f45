/* Describes files with values: .bpte, .ptd, .npy. */
#include "cli/info/info_kinds.h"
#include "etscope/bundle.h"
#include "etscope/program.h"
#include "record/numpy.h"

/* "  case 0 inputs  float32 [2, 16], float32 [4]" */
static void tell_values(struct ets_facts *facts, const struct ets_bundle_case *test_case,
                        bool is_input)
{
    const uint32_t count = is_input ? test_case->input_count : test_case->expected_count;
    if (is_input) ets_facts_line(facts, "case %u inputs", (unsigned)test_case->index);
    else ets_facts_line(facts, "%13s", "expected");
    ets_json_begin_array(facts->json, is_input ? "inputs" : "expected");
    for (uint32_t i = 0; i < count; i++) {
        struct ets_value value;
        if (is_input) ets_bundle_input(test_case, i, &value);
        else ets_bundle_expected(test_case, i, &value);
        ets_facts_item(facts);
        ets_facts_value(facts, &value);
    }
    if (count == 0) ets_facts_words(facts, "none");
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void tell_suite(struct info_request *request, const struct ets_bundle_suite *suite)
{
    struct ets_facts *facts = &request->facts;
    ets_json_begin_object(facts->json, NULL);
    ets_facts_plain_line(facts, "\ntest cases of ");
    ets_facts_text(facts, "method", suite->method_name);
    ets_facts_words(facts, ": %u", (unsigned)suite->case_count);
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "cases");
    for (uint32_t i = 0; i < info_shown(request, suite->case_count); i++) {
        struct ets_bundle_case test_case;
        ets_bundle_case(suite, i, &test_case);
        ets_json_begin_object(facts->json, NULL);
        tell_values(facts, &test_case, true);
        tell_values(facts, &test_case, false);
        ets_json_end_object(facts->json);
    }
    info_more(request, suite->case_count);
    ets_json_end_array(facts->json);
    ets_json_end_object(facts->json);
}

static void tell_bundle(struct info_request *request, const struct ets_bundle *bundle,
                        const struct ets_program *program)
{
    struct ets_facts *facts = &request->facts;
    info_begin(request);
    ets_facts_number_line(facts, "bundle version", "bundle_version", bundle->version);
    ets_json_begin_array(facts->json, "suites");
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        tell_suite(request, &suite);
    }
    ets_json_end_array(facts->json);
    ets_json_begin_object(facts->json, "program");
    ets_json_put_count(facts->json, "offset", bundle->program_offset);
    ets_facts_plain_line(facts, "\nthe program inside, ");
    ets_facts_bytes(facts, "bytes", bundle->program.size);
    ets_facts_end(facts);
    info_tell_program(request, program);
    ets_json_end_object(facts->json);
    info_end(request);
}

int info_bundle(struct info_request *request)
{
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_error error;
    if (ets_bundle_init(&bundle, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    if (ets_program_init(&program, bundle.program, &error) != ETS_OK) {
        if (error.offset != ETS_NO_OFFSET) error.offset += bundle.program_offset;
        return cli_fail(request->path, &error);
    }
    tell_bundle(request, &bundle, &program);
    return CLI_OK;
}

static void tell_data_entry(struct info_request *request, const struct ets_data_entry *entry)
{
    struct ets_facts *facts = &request->facts;
    ets_json_begin_object(facts->json, NULL);
    ets_json_put_text(facts->json, "key", entry->key);
    ets_json_put_count(facts->json, "bytes", entry->bytes.size);
    ets_json_put_count(facts->json, "segment", entry->segment_index);
    info_item(request, entry->bytes.size, entry->key);
    ets_facts_words(facts, ": ");
    if (entry->has_layout) ets_facts_tensor(facts, &entry->tensor, false);
    else ets_facts_words(facts, "opaque");
    ets_facts_end(facts);
    ets_json_end_object(facts->json);
}

int info_data_file(struct info_request *request)
{
    struct ets_facts *facts = &request->facts;
    struct ets_data_file data;
    struct ets_error error;
    if (ets_data_file_init(&data, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    info_begin(request);
    ets_facts_number_line(facts, "schema version", "schema_version", data.version);
    ets_facts_number_line(facts, "segments", "segment_count", data.segment_count);
    ets_facts_plain_line(facts, "\nentries: %u", (unsigned)data.entry_count);
    ets_facts_end(facts);
    ets_json_begin_array(facts->json, "entries");
    for (uint32_t i = 0; i < info_shown(request, data.entry_count); i++) {
        struct ets_data_entry entry;
        ets_data_file_entry(&data, i, &entry);
        tell_data_entry(request, &entry);
    }
    info_more(request, data.entry_count);
    ets_json_end_array(facts->json);
    info_end(request);
    return CLI_OK;
}

int info_npy(struct info_request *request)
{
    struct ets_facts *facts = &request->facts;
    struct ets_tensor tensor;
    struct ets_error error;
    if (ets_npy_read(request->bytes, &tensor, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    info_begin(request);
    ets_facts_line(facts, "tensor");
    ets_facts_tensor(facts, &tensor, false);
    ets_facts_end(facts);
    ets_facts_line(facts, "elements");
    ets_facts_number(facts, "element_count", ets_tensor_count(&tensor));
    ets_facts_words(facts, ", ");
    ets_facts_bool(facts, "row_major", ets_tensor_is_contiguous(&tensor), "row by row",
                   "column by column");
    ets_facts_end(facts);
    info_end(request);
    return CLI_OK;
}
