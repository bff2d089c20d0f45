/* What the events of delegates stand for: by the payload, by the record's map, or by the call. */
#include "test_inspect_support.h"

#include "etscope/experimental/delegates.h"

/* A model's files, opened. */
struct model {
    struct ets_file *dump, *program_file, *record_file;
    struct ets_program program;
    struct ets_etrecord *record;
};

static struct model open_model(const char *folder, const char *dump, const char *program,
                               const char *record)
{
    struct model model = {.dump = open_fixture(folder, dump),
                          .program_file = open_fixture(folder, program),
                          .record_file = open_fixture(folder, record)};
    assert_int_equal(ets_program_init(&model.program, ets_file_bytes(model.program_file), NULL),
                     ETS_OK);
    model.record = open_record(ets_file_bytes(model.record_file));
    return model;
}

static void close_model(struct model *model)
{
    ets_etrecord_close(model->record);
    ets_file_close(model->record_file);
    ets_file_close(model->program_file);
    ets_file_close(model->dump);
}

static struct ets_delegation *list_calls(const struct model *model,
                                         const struct ets_etrecord *record)
{
    struct ets_delegation *calls = NULL;
    const struct ets_delegation_options options = {.program = &model->program,
                                                   .record = record == NULL ? NULL : model->record};
    assert_int_equal(ets_delegation_open(&options, &calls, NULL), ETS_OK);
    return calls;
}

static const struct ets_delegation_step *find_call(const struct ets_delegation *calls,
                                                   int32_t instruction)
{
    for (uint32_t i = 0; i < ets_delegation_count(calls); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(calls, i);
        if (step->instruction == (uint32_t)instruction) return step;
    }
    fail_msg("no instruction %d", instruction);
    return NULL;
}

static void assert_same_text(struct ets_text left, struct ets_text right)
{
    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, left.size);
}

/* Every event of every delegate call has the name that the payload foretold; counts the calls. */
static uint32_t check_names(const struct model *model)
{
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(model->dump), (struct ets_inspect_options){
                                                 .record = model->record,
                                                 .program = &model->program,
                                             });
    struct ets_delegation *calls = list_calls(model, model->record);
    uint32_t call_count = 0;
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->chain != 0 || !row->is_delegated) continue;
        const struct ets_delegation_step *call = find_call(calls, row->instruction);
        assert_true(row->tie == ETS_TIE_NODE || row->tie == ETS_TIE_NEAR);
        assert_null(row->tie_reason);
        assert_true(row->unit < call->unit_count);
        const struct ets_delegate_unit *unit = &call->units[row->unit];
        assert_same_text(row->name, unit->event);
        assert_true(row->payload_node_count > 0);
        assert_int_equal(row->payload_node_count, unit->payload_node_count);
        assert_int_equal(row->handle_count, unit->handle_count);
        assert_int_equal(row->handle_node_count, unit->node_count);
        assert_true(row->node_count > 0 || unit->node_count == 0);
        assert_true(row->node_count <= unit->node_count); /* kernels outside have the others */
        if (row->unit + 1 == call->unit_count) call_count++;
    }
    ets_delegation_close(calls);
    ets_inspection_close(inspection);
    return call_count;
}

static void test_inspect_delegates__payloads_foretell_every_call(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *dump, *program, *record;
        uint32_t calls;
    } models[] = {
        {"mlp_xnnpack", "profile.etdp", "model.pte", "model.etrecord", 1},
        {"conv_xnnpack", "profile.etdp", "model.pte", "model.etrecord", 1},
        {"conv_xnnpack_int8", "profile.etdp", "model.pte", "model.etrecord", 1},
        {"gpt_xnnpack", "profile.etdp", "model.pte", "model.etrecord", 12},
        {"linear_fp32_xnnpack", "profile.etdp", "model.pte", "model.etrecord", 1},
        {"linear_int8_xnnpack", "profile.etdp", "model.pte", "model.etrecord", 1},
        {"delegates", "images.etdp", "images.pte", "images.etrecord", 1},
        {"delegates", "elements.etdp", "elements.pte", "elements.etrecord", 2},
        {"delegates", "shared.etdp", "shared.pte", "shared.etrecord", 2},
        {"delegates", "bytes.etdp", "bytes.pte", "bytes.etrecord", 2},
        {"delegates", "nibbles.etdp", "nibbles.pte", "nibbles.etrecord", 1},
    };
    for (size_t i = 0; i < COUNT(models); i++) {
        struct model model =
            open_model(models[i].folder, models[i].dump, models[i].program, models[i].record);
        assert_int_equal(check_names(&model), models[i].calls);
        close_model(&model);
    }
}

/* "Conv2d Clamp | 5 6 | aten.add.Tensor" of what an event stands for. */
static void describe(const struct ets_row *row, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < row->payload_node_count; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s ", row->payload_nodes[i].type);
    }
    used += (size_t)snprintf(text + used, size - used, "|");
    for (size_t i = 0; i < row->handle_count; i++) {
        used += (size_t)snprintf(text + used, size - used, " %lld", (long long)row->handles[i]);
    }
    used += (size_t)snprintf(text + used, size - used, " |");
    for (size_t i = 0; i < row->node_count; i++) {
        used += (size_t)snprintf(text + used, size - used, " %s", row->nodes[i].node->op.data);
    }
}

struct expectation {
    const char *event, *stands_for;
};

static void check_rows(const struct model *model, struct ets_etrecord *record,
                       const struct expectation *expected, size_t count)
{
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(model->dump),
                (struct ets_inspect_options){.record = record, .program = &model->program});
    for (size_t i = 0; i < count; i++) {
        char text[512];
        uint32_t block = 0;
        while (find_row(inspection, block, expected[i].event) == NULL) {
            assert_true(++block < ets_inspection_block_count(inspection));
        }
        describe(find_row(inspection, block, expected[i].event), text, sizeof text);
        assert_string_equal(text, expected[i].stands_for);
    }
    ets_inspection_close(inspection);
}

static void test_inspect_delegates__fused_operators_are_listed(void **state)
{
    (void)state;
    static const struct expectation convolutions[] = {
        {"Transpose (ND, X32) #1", "StaticTranspose | |"}, /* the exporter's own */
        {"Convolution (NHWC, F32) IGEMM #1",
         "Conv2d | 1 2 3 | aten.convolution.default "
         "aten._native_batch_norm_legit_no_training.default aten.hardtanh.default"},
        {"HardSwish (NC) #1", "Hardswish | 5 | aten.hardswish.default"},
    };
    struct model model = open_model("conv_xnnpack", "profile.etdp", "model.pte", "model.etrecord");
    check_rows(&model, model.record, convolutions, COUNT(convolutions));
    /* Without a record a node still has its own handle. */
    static const struct expectation bare = {"HardSwish (NC) #1", "Hardswish | 5 |"};
    check_rows(&model, NULL, &bare, 1);
    close_model(&model);
    static const struct expectation elements[] = {
        {"Fully Connected (NC, F32) GEMM #1",
         "FullyConnected Clamp Clamp Clamp | 1 2 3 4 | aten.linear.default aten.clamp.default "
         "aten.clamp.default aten.clamp.default"},
        /* The list has 18, another addition, before 6: only the graph tells where 6 belongs. */
        {"Add (ND) #1", "Add | 5 6 | aten.add.Tensor aten.relu.default"},
        {"Clamp (NC) #2", "Add | 5 6 | aten.add.Tensor aten.relu.default"},
        {"Add (ND) #2", "Add | 18 | aten.add.Tensor"},
        {"Square (NC) #1", "Multiply | 14 | aten.mul.Tensor"},
    };
    model = open_model("delegates", "elements.etdp", "elements.pte", "elements.etrecord");
    check_rows(&model, model.record, elements, COUNT(elements));
    close_model(&model);
}

static void test_inspect_delegates__a_shared_conversion_is_listed_with_each_reader(void **state)
{
    (void)state;
    struct model model = open_model("delegates", "shared.etdp", "shared.pte", "shared.etrecord");
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(model.dump),
                (struct ets_inspect_options){.record = model.record, .program = &model.program});
    for (uint32_t i = 0, seen = 0; i < ets_inspection_row_count(inspection) || seen != 2; i++) {
        assert_true(i < ets_inspection_row_count(inspection));
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->payload_node_count != 2) continue;
        assert_string_equal(row->payload_nodes[0].type, "Convert");
        assert_int_equal(row->payload_nodes[0].index, 0);
        assert_string_equal(row->payload_nodes[1].type, "FullyConnected");
        seen++;
    }
    ets_inspection_close(inspection);
    close_model(&model);
}

/* Half precision: the runtime adds conversions around what the processor has no kernel for. */
static void test_inspect_delegates__added_conversions_go_with_the_next_node(void **state)
{
    (void)state;
    struct model model =
        open_model("delegates", "images_fp16.etdp", "images_fp16.pte", "images_fp16.etrecord");
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(model.dump),
                (struct ets_inspect_options){.record = model.record, .program = &model.program});
    uint32_t seen = 0, added = 0;
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->chain != 0 || !row->is_delegated) continue;
        seen++;
        if (row->unit != ETS_NO_INDEX) {
            assert_int_equal(row->tie, ETS_TIE_NODE);
            assert_null(row->tie_reason);
            continue;
        }
        const struct ets_row *beside = ets_inspection_row(inspection, added == 0 ? i + 1 : i - 1);
        assert_int_equal(row->tie, ETS_TIE_NEAR);
        assert_text(row->operation,
                    added == 0 ? "Convert (NC), added #1" : "Convert (NC), added #2");
        assert_non_null(strstr(row->tie_reason, "added by the runtime"));
        assert_int_equal(row->payload_node_count, 0);
        assert_ptr_equal(row->handles, beside->handles);
        added++;
    }
    assert_int_equal(seen, 18);
    assert_int_equal(added, 2);
    ets_inspection_close(inspection);
    close_model(&model);
}

/* Events of the right number but of a different kind, and of another number. */
static void test_inspect_delegates__other_events_are_not_tied(void **state)
{
    (void)state;
    struct model model = open_model("mlp_xnnpack", "profile.etdp", "model.pte", "model.etrecord");
    static const struct made_event exchanged[] = {
        DELEGATE("Fully Connected (NC, F32) GEMM #1", 0, 1, 2),
        DELEGATE("Softmax (NC, F32) #1", 0, 2, 3),
        DELEGATE("Fully Connected (NC, F32) GEMM #2", 0, 3, 4),
        CALL("DELEGATE_CALL", 0, 0, 5),
        FRAMEWORK("Method::execute", 0, 6),
    };
    static const struct made_event elsewhere[] = {
        /* another processor's micro-kernels, for the same operators */
        DELEGATE("Fully Connected (NC, PF32) IGEMM #1", 0, 1, 2),
        DELEGATE("Fully Connected (NC, PF32) IGEMM #2", 0, 2, 3),
        DELEGATE("Softmax #1", 0, 3, 4),
        CALL("DELEGATE_CALL", 0, 0, 5),
        FRAMEWORK("Method::execute", 0, 6),
    };
    const struct made_run runs[] = {{"Execute", -1, exchanged, COUNT(exchanged), 0},
                                    {"Execute", -1, elsewhere, COUNT(elsewhere), 0}};
    struct made made = inspect_runs(
        runs, 2, (struct ets_inspect_options){.record = model.record, .program = &model.program});
    const struct ets_row *row = find_row(made.inspection, 0, "Softmax (NC, F32) #1");
    assert_int_equal(row->tie, ETS_TIE_CALL);
    assert_string_equal(row->tie_reason,
                        "operator 2 is Fully Connected (NC, F32) GEMM #2 in the payload but "
                        "Softmax (NC, F32) #1 in the trace");
    row = find_row(made.inspection, 1, "Softmax #1");
    assert_int_equal(row->tie, ETS_TIE_NODE);
    assert_int_equal(row->handle_count, 1);
    made_close(&made);
    close_model(&model);
}

/* Names without what the processor decides; those of other delegates are left alone. */
static void test_inspect_delegates__operations_are_the_same_on_any_processor(void **state)
{
    (void)state;
    static const struct made_event events[] = {
        DELEGATE("Fully Connected (NC, QDU8, F32, QC8W) GEMM #1", 0, 1, 2),
        DELEGATE("Fully Connected (NC, QD8, F32, QC8W) GEMM #1", 0, 2, 3),
        DELEGATE("Convolution (NHWC, PF32) IGEMM #1", 0, 3, 4),
        DELEGATE("Convolution (NHWC, F32) DWConv #1", 0, 4, 5),
        DELEGATE("Add (ND) #1", 0, 5, 6),
        DELEGATE("conv (QDU8) #2", 0, 6, 7),
        DELEGATE("Invalid Unary Op #1", 0, 7, 8),
        DELEGATE("Copy (NC,,", 0, 8, 9),
        DELEGATE("()", 0, 9, 10),
        CALL("DELEGATE_CALL", 0, 0, 11),
        FRAMEWORK("Method::execute", 0, 12),
    };
    static const char *const operations[] = {
        "Fully Connected (NC, QD8, F32, QC8W) #1",
        "Fully Connected (NC, QD8, F32, QC8W) #2",
        "Convolution (NHWC, F32) #1",
        "Convolution (NHWC, F32) #2",
        "Add (ND) #1",
        "conv (QDU8) #2",
        "Invalid Unary Op #1",
        "Copy (NC,,",
        "()",
        "DELEGATE_CALL",
        "Method::execute",
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){.record = NULL});
    for (uint32_t i = 0; i < COUNT(operations); i++) {
        assert_text(ets_inspection_row(made.inspection, i)->operation, operations[i]);
    }
    made_close(&made);
    struct model model =
        open_model("conv_xnnpack_int8", "profile.etdp", "model.pte", "model.etrecord");
    struct ets_inspection *inspection = inspect(
        ets_file_bytes(model.dump), (struct ets_inspect_options){.program = &model.program});
    const struct ets_row *table = find_row(inspection, 1, "Invalid Unary Op #1");
    assert_text(table->operation, "Hardswish (table) #1");
    ets_inspection_close(inspection);
    close_model(&model);
}

static void test_inspect_delegates__what_crosses_the_border(void **state)
{
    (void)state;
    struct model model = open_model("gpt_xnnpack", "profile.etdp", "model.pte", "model.etrecord");
    struct ets_delegation *calls = list_calls(&model, model.record);
    uint32_t partitions = 0, kernels = 0;
    for (uint32_t i = 0; i < ets_delegation_count(calls); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(calls, i);
        assert_int_equal(step->is_upper_bound, 0);
        if (step->kind == ETS_INSTRUCTION_DELEGATE_CALL) {
            assert_int_equal(step->partition, partitions++);
            assert_true(step->input_count > 0 && step->output_count > 0);
            assert_true(step->unit_count > 0 && step->reason == NULL);
        } else {
            assert_int_equal(step->partition, ETS_NO_INDEX);
            assert_int_equal(step->unit_count, 0);
            kernels += step->kind == ETS_INSTRUCTION_KERNEL_CALL;
        }
    }
    assert_int_equal(partitions, 12);
    assert_true(kernels > 0);
    ets_delegation_close(calls);
    close_model(&model);
    model = open_model("mlp_xnnpack", "profile.etdp", "model.pte", "model.etrecord");
    calls = list_calls(&model, NULL);
    const struct ets_delegation_step *call = find_call(calls, 0);
    struct ets_method method;
    struct ets_evalue input, output;
    ets_program_method(&model.program, 0, &method);
    ets_method_input(&method, 0, &input);
    ets_method_output(&method, 0, &output);
    assert_int_equal(call->input_count, 1); /* weights are the delegate's own */
    assert_int_equal(call->input_bytes, input.tensor.tensor_bytes);
    assert_int_equal(call->output_count, 1);
    assert_int_equal(call->output_bytes, output.tensor.tensor_bytes);
    ets_delegation_close(calls);
    close_model(&model);
}

static void test_inspect_delegates__another_models_record_is_refused(void **state)
{
    (void)state;
    struct model model = open_model("mlp_xnnpack", "profile.etdp", "model.pte", "model.etrecord");
    struct model other = open_model("mlp_portable", "profile.etdp", "model.pte", "model.etrecord");
    struct ets_delegation *calls = NULL;
    struct ets_error error;
    const struct ets_delegation_options options = {.program = &model.program,
                                                   .record = other.record};
    assert_int_equal(ets_delegation_open(&options, &calls, &error), ETS_MISMATCH);
    assert_null(calls);
    const struct ets_delegation_options unknown = {.program = &model.program, .method = "encode"};
    assert_int_equal(ets_delegation_open(&unknown, &calls, &error), ETS_NOT_FOUND);
    close_model(&other);
    close_model(&model);
}

/* How a trace of one call with these events agrees with a record. */
static void check_events(const char *folder, const struct made_event *events, uint32_t count,
                         const char *contradiction)
{
    struct model model = open_model(folder, "profile.etdp", "model.pte", "model.etrecord");
    const struct made_run run = {"Execute", -1, events, count, 0};
    const struct ets_inspect_options options = {.record = model.record, .allow_mismatch = 1};
    struct made made = inspect_runs(&run, 1, options);
    const struct ets_block *block = ets_inspection_block(made.inspection, 0);
    if (contradiction == NULL) {
        assert_int_equal(block->method_state, ETS_METHOD_FOUND);
    } else {
        assert_int_equal(block->method_state, ETS_METHOD_MISMATCH);
        assert_non_null(strstr(block->reason, contradiction));
    }
    made_close(&made);
    close_model(&model);
}

#define PRODUCT(number) DELEGATE("Fully Connected (NC, F32) GEMM #" #number, 0, number, number + 1)
#define END CALL("DELEGATE_CALL", 0, 0, 8), FRAMEWORK("Method::execute", 0, 9)

/* Most models are one call: its events tell whether the record is of the same. The record has two
 * linear layers and a softmax. */
static void test_inspect_delegates__events_must_be_of_the_records_nodes(void **state)
{
    (void)state;
    static const struct made_event own[] = {PRODUCT(1), PRODUCT(2), END};
    static const struct made_event fewer[] = {PRODUCT(1), DELEGATE("Softmax (NC, F32) #1", 0, 3, 4),
                                              END};
    static const struct made_event more[] = {PRODUCT(1), PRODUCT(2), PRODUCT(3), END};
    static const struct made_event none[] = {DELEGATE("Softmax (NC, F32) #1", 0, 3, 4), END};
    static const struct made_event other[] = {
        PRODUCT(1), PRODUCT(2), DELEGATE("Convolution (NHWC, F32) IGEMM #1", 0, 3, 4), END};
    static const struct made_event unnamed[] = {DELEGATE("0", 0, 1, 2), DELEGATE("1", 0, 3, 4),
                                                END};
    static const struct made_event unfinished[] = {PRODUCT(1), CALL("DELEGATE_CALL", 0, 0, 8)};
    static const struct made_event attention[] = {
        PRODUCT(1), DELEGATE("Scaled Dot-Product Attention (NC, F32) #1", 0, 3, 4), END};
    check_events("mlp_xnnpack", own, COUNT(own), NULL);
    check_events(
        "mlp_xnnpack", fewer, COUNT(fewer),
        "instruction 0 multiplied 1 times (convolutions, matrix products), but the record's "
        "forward has 2 such nodes there");
    check_events("mlp_xnnpack", more, COUNT(more), "multiplied 3 times");
    check_events("mlp_xnnpack", none, COUNT(none), "multiplied 0 times");
    check_events("mlp_xnnpack", other, COUNT(other), "does not match the nodes there");
    check_events("mlp_xnnpack", unnamed, COUNT(unnamed), NULL);
    check_events("mlp_xnnpack", unfinished, COUNT(unfinished), NULL);
    check_events("mlp_xnnpack", attention, COUNT(attention), NULL);
}

static void test_inspect_delegates__events_must_compute_in_the_records_numbers(void **state)
{
    (void)state;
    static const struct made_event own[] = {
        DELEGATE("Convert (NC, F32, QS8) #1", 0, 1, 2),
        DELEGATE("Fully Connected (NC, QS8, QC8W) GEMM #1", 0, 2, 3), END};
    static const struct made_event dynamic[] = {
        DELEGATE("Fully Connected (NC, QDU8, F32, QC8W) GEMM #1", 0, 2, 3),
        DELEGATE("Fully Connected (NC, F32) GEMM #1", 0, 3, 4), END};
    static const struct made_event floats[] = {PRODUCT(1), END};
    static const struct made_event weights[] = {
        DELEGATE("Fully Connected (NC, F32, QC8W) GEMM #1", 0, 1, 2), PRODUCT(2), END};
    check_events("linear_int8_xnnpack", own, COUNT(own), NULL);
    check_events("linear_int8_xnnpack", floats, COUNT(floats),
                 "computed in floats, but the record's forward quantizes there");
    check_events("mlp_xnnpack", own, COUNT(own), "but the record's forward does not quantize");
    check_events(
        "mlp_xnnpack", dynamic, COUNT(dynamic),
        "ran Fully Connected (NC, QDU8, F32, QC8W) GEMM #1, but the record's forward does");
    check_events("mlp_xnnpack", weights, COUNT(weights), NULL);
}

/* The inspection and the list, with one allocator. */
static enum ets_status explain_with(const struct ets_allocator *allocator,
                                    const struct model *model)
{
    struct ets_inspection *inspection = NULL;
    struct ets_delegation *calls = NULL;
    const struct ets_inspect_options options = {
        .record = model->record, .program = &model->program, .allocator = allocator};
    const struct ets_delegation_options list_options = {
        .program = &model->program, .record = model->record, .allocator = allocator};
    struct ets_error error = {.status = ETS_OK};
    enum ets_status status =
        ets_inspection_open(ets_file_bytes(model->dump), &options, &inspection, &error);
    if (status == ETS_OK) status = ets_delegation_open(&list_options, &calls, &error);
    assert_int_equal(status, error.status);
    ets_delegation_close(calls);
    ets_inspection_close(inspection);
    return status;
}

static void test_inspect_delegates__every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct model model =
        open_model("delegates", "images_fp16.etdp", "images_fp16.pte", "images_fp16.etrecord");
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const enum ets_status status = explain_with(&allocator, &model);
        succeeded = status == ETS_OK;
        if (!succeeded) assert_int_equal(status, ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
    assert_true(n >= 3);
    close_model(&model);
}

/* Damaged programs: their payloads are read or refused, and events keep what is known. */
static void test_inspect_delegates__damaged_payloads_are_survived(void **state)
{
    (void)state;
    struct model model = open_model("delegates", "shared.etdp", "shared.pte", "shared.etrecord");
    const struct ets_bytes bytes = ets_file_bytes(model.program_file);
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    for (size_t at = 0; at < bytes.size; at++) {
        copy[at] ^= (uint8_t)(1u << at % 8);
        struct ets_program program;
        if (ets_program_init(&program, (struct ets_bytes){copy, bytes.size}, NULL) == ETS_OK) {
            const struct ets_inspect_options options = {
                .record = model.record, .program = &program, .allow_mismatch = 1};
            const struct ets_delegation_options list_options = {.program = &program,
                                                                .record = model.record};
            struct ets_inspection *inspection = NULL;
            struct ets_delegation *calls = NULL;
            assert_int_equal(
                ets_inspection_open(ets_file_bytes(model.dump), &options, &inspection, NULL),
                ETS_OK);
            struct ets_error error = {.status = ETS_OK};
            const enum ets_status status = ets_delegation_open(&list_options, &calls, &error);
            assert_true(status == ETS_OK ? calls != NULL : error.message[0] != '\0');
            ets_delegation_close(calls);
            ets_inspection_close(inspection);
        }
        copy[at] = bytes.data[at];
    }
    free(copy);
    close_model(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_delegates__payloads_foretell_every_call),
        cmocka_unit_test(test_inspect_delegates__fused_operators_are_listed),
        cmocka_unit_test(test_inspect_delegates__a_shared_conversion_is_listed_with_each_reader),
        cmocka_unit_test(test_inspect_delegates__added_conversions_go_with_the_next_node),
        cmocka_unit_test(test_inspect_delegates__operations_are_the_same_on_any_processor),
        cmocka_unit_test(test_inspect_delegates__other_events_are_not_tied),
        cmocka_unit_test(test_inspect_delegates__what_crosses_the_border),
        cmocka_unit_test(test_inspect_delegates__another_models_record_is_refused),
        cmocka_unit_test(test_inspect_delegates__events_must_be_of_the_records_nodes),
        cmocka_unit_test(test_inspect_delegates__events_must_compute_in_the_records_numbers),
        cmocka_unit_test(test_inspect_delegates__every_failed_allocation_is_told),
        cmocka_unit_test(test_inspect_delegates__damaged_payloads_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
