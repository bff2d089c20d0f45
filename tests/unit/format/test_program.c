/* The program reader against flatc's reading of the same files (tests/data/schema/programs.txt). */
#define _POSIX_C_SOURCE 200809L
#include "etscope/program.h"
#include "test_files_support.h"
#include "walk_program.h"

static struct ets_file *open_data(const char *name, struct ets_program *program)
{
    struct ets_error error = {.message = ""};
    struct ets_file *file = open_file(name);
    const enum ets_status status = ets_program_init(program, ets_file_bytes(file), &error);
    if (status != ETS_OK) fail_msg("%s: %s", name, error.message);
    return file;
}

static void print_text(FILE *out, struct ets_text text)
{
    fwrite(text.data, 1, text.size, out);
}

static void print_numbers(FILE *out, const int64_t *numbers, uint32_t count)
{
    fputc('[', out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%lld", i != 0 ? ", " : "", (long long)numbers[i]);
    }
    fputc(']', out);
}

static void print_tensor(FILE *out, const struct ets_program_tensor *t)
{
    fprintf(out, "tensor %s %s ", ets_tensor_place_name(t->place),
            ets_scalar_type_name(t->tensor.scalar_type));
    print_numbers(out, t->tensor.sizes, t->tensor.rank);
    fputc(' ', out);
    print_numbers(out, t->tensor.strides, t->tensor.rank);
    fprintf(out, " dyn %d bytes %llu", (int)t->dynamism, (unsigned long long)t->tensor_bytes);
    if (t->place >= ETS_PLACE_EXTERNAL_CONSTANT) {
        fputs(" external ", out);
        print_text(out, t->qualified_name);
    }
    if (t->memory_id != 0) {
        fprintf(out, " in %u at %llu", t->memory_id, (unsigned long long)t->memory_offset);
    }
    if (t->data_buffer_idx != 0) {
        fprintf(out, " data %u %016llx", t->data_buffer_idx,
                (unsigned long long)fnv(t->tensor.data, t->tensor.data_bytes));
    }
}

static void print_list(FILE *out, const struct ets_evalue *value)
{
    fputs(" [", out);
    for (uint32_t i = 0; i < value->item_count; i++) {
        if (i != 0) fputs(", ", out);
        if (value->kind == ETS_EVALUE_DOUBLE_LIST) {
            fprintf(out, "%.9g", ets_evalue_double(value, i));
        } else if (value->kind == ETS_EVALUE_BOOL_LIST) {
            fprintf(out, "%d", ets_evalue_bool(value, i));
        } else {
            fprintf(out, "%d", ets_evalue_item(value, i));
        }
    }
    fputc(']', out);
}

static void print_value(FILE *out, const struct ets_evalue *value)
{
    if (value->kind == ETS_EVALUE_TENSOR) {
        print_tensor(out, &value->tensor);
        return;
    }
    fputs(ets_evalue_kind_name(value->kind), out);
    switch (value->kind) {
    case ETS_EVALUE_NULL:
    case ETS_EVALUE_UNKNOWN: break;
    case ETS_EVALUE_INT:
    case ETS_EVALUE_BOOL: fprintf(out, " %lld", (long long)value->int_value); break;
    case ETS_EVALUE_DOUBLE: fprintf(out, " %.9g", value->double_value); break;
    case ETS_EVALUE_STRING:
        fputc(' ', out);
        print_text(out, value->string);
        break;
    default: print_list(out, value); break;
    }
}

static void print_instruction(FILE *out, const struct ets_instruction *instruction)
{
    fprintf(out, "  %u %s ", instruction->instruction_id,
            ets_instruction_kind_name(instruction->kind));
    if (instruction->name.data != NULL) {
        print_text(out, instruction->name);
        if (instruction->kind == ETS_INSTRUCTION_KERNEL_CALL) {
            fputc('.', out);
            print_text(out, instruction->overload);
        }
        fputc(' ', out);
    }
    fputc('[', out);
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        fprintf(out, "%s%u", i != 0 ? ", " : "", ets_instruction_argument(instruction, i));
    }
    fputc(']', out);
    if (instruction->destination >= 0) fprintf(out, " to %d", instruction->destination);
    fputc('\n', out);
}

static void print_delegate(FILE *out, uint32_t index, const struct ets_delegate *delegate)
{
    fprintf(out, " delegate %u ", index);
    print_text(out, delegate->id);
    fprintf(out, " at %d:%u %zu %016llx", !delegate->is_inline, delegate->blob_index,
            delegate->blob.size, (unsigned long long)fnv(delegate->blob.data, delegate->blob.size));
    for (uint32_t i = 0; i < delegate->compile_spec_count; i++) {
        struct ets_compile_spec spec;
        ets_delegate_compile_spec(delegate, i, &spec);
        fputc(' ', out);
        print_text(out, spec.key);
        fprintf(out, "=%016llx", (unsigned long long)fnv(spec.value.data, spec.value.size));
    }
    fputc('\n', out);
}

/* The indices of the inputs or outputs. */
static void print_ports(FILE *out, const struct ets_method *method, uint32_t count,
                        void (*port)(const struct ets_method *, uint32_t, struct ets_evalue *))
{
    fputs(" [", out);
    for (uint32_t i = 0; i < count; i++) {
        struct ets_evalue value;
        port(method, i, &value);
        fprintf(out, "%s%u", i != 0 ? ", " : "", value.index);
    }
    fputc(']', out);
}

static void print_chains(FILE *out, const struct ets_method *method)
{
    for (uint32_t i = 0; i < method->chain_count; i++) {
        struct ets_chain chain;
        ets_method_chain(method, i, &chain);
        fprintf(out, " chain %u traces %u\n", i, chain.trace_count);
        for (uint32_t j = 0; j < chain.instruction_count; j++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, j, &instruction);
            assert_int_equal(instruction.chain_index, i);
            print_instruction(out, &instruction);
        }
    }
}

static void print_method(FILE *out, const struct ets_method *method)
{
    fputs("method ", out);
    print_text(out, method->name);
    print_ports(out, method, method->input_count, ets_method_input);
    print_ports(out, method, method->output_count, ets_method_output);
    fputc('\n', out);
    for (uint32_t i = 0; i < method->arena_count; i++) {
        struct ets_planned_arena arena;
        ets_method_arena(method, i, &arena);
        fprintf(out, " arena %u %llu\n", arena.memory_id, (unsigned long long)arena.bytes);
    }
    for (uint32_t i = 0; i < method->operator_count; i++) {
        struct ets_operator op;
        ets_method_operator(method, i, &op);
        fprintf(out, " operator %u ", i);
        print_text(out, op.name);
        fputc(' ', out);
        print_text(out, op.overload);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        print_delegate(out, i, &delegate);
    }
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        assert_int_equal(value.index, i);
        fprintf(out, " value %u ", i);
        print_value(out, &value);
        fputc('\n', out);
    }
    print_chains(out, method);
}

static void print_program(FILE *out, const struct ets_program *program)
{
    fprintf(out, "file %zu flatbuffer %llu base %llu segments %llu version %u %016llx\n",
            program->bytes.size, (unsigned long long)program->flatbuffer_bytes,
            (unsigned long long)program->segment_base, (unsigned long long)program->segment_bytes,
            program->version, (unsigned long long)ets_program_fingerprint(program));
    for (uint32_t i = 0; i < program->segment_count; i++) {
        struct ets_segment segment;
        ets_program_segment(program, i, &segment);
        fprintf(out, "segment %u at %llu %llu %016llx\n", i, (unsigned long long)segment.offset,
                (unsigned long long)segment.size,
                (unsigned long long)fnv(segment.bytes.data, segment.bytes.size));
    }
    for (uint32_t i = 0; i < program->named_data_count; i++) {
        struct ets_program_named_data data;
        ets_program_named_data(program, i, &data);
        fputs("named ", out);
        print_text(out, data.key);
        fprintf(out, " %u\n", data.segment_index);
    }
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        print_method(out, &method);
    }
}

/* Says which line differs first, as the whole text is long. */
static void assert_same_lines(const char *read, const char *expected)
{
    const char *heading = expected;
    while (*read != '\0' || *expected != '\0') {
        const size_t read_size = strcspn(read, "\n"), size = strcspn(expected, "\n");
        if (expected[0] == '#') heading = expected;
        if (read_size != size || memcmp(read, expected, size) != 0) {
            fail_msg("%.*s\nread:     %.*s\nexpected: %.*s", (int)strcspn(heading, "\n"), heading,
                     (int)read_size, read, (int)size, expected);
        }
        read += read_size + (read[read_size] != '\0');
        expected += size + (expected[size] != '\0');
    }
}

static void test_program__reads_what_flatc_reads(void **state)
{
    (void)state;
    FILE *golden = fopen(TEST_DATA "/schema/programs.txt", "r");
    assert_non_null(golden);
    char *read = NULL, *expected = NULL, line[65536];
    size_t read_size = 0, expected_size = 0;
    FILE *out = open_memstream(&read, &read_size);
    FILE *copy = open_memstream(&expected, &expected_size);
    unsigned programs = 0;
    while (fgets(line, sizeof line, golden) != NULL) {
        fputs(line, copy);
        if (line[0] != '#') continue;
        line[strcspn(line, "\n")] = '\0';
        struct ets_program program;
        struct ets_file *file = open_data(line + 2, &program);
        fprintf(out, "%s\n", line);
        print_program(out, &program);
        ets_file_close(file);
        programs++;
    }
    fclose(golden);
    fclose(out);
    fclose(copy);
    assert_same_lines(read, expected);
    assert_true(programs >= 16);
    free(read);
    free(expected);
}

static void test_program__sizes_add_up_to_the_file(void **state)
{
    (void)state;
    struct ets_program program;
    struct ets_program_sizes s;
    struct ets_file *file = open_data("schema/everything.pte", &program);
    ets_program_sizes(&program, &s);
    assert_int_equal(s.constant_bytes, 24);
    assert_int_equal(s.mutable_bytes, 32);
    assert_int_equal(s.delegate_bytes, 17 + 12); /* a segment and an inlined one */
    assert_int_equal(s.named_data_bytes, 5);     /* two keys, one segment */
    assert_int_equal(s.unused_bytes, 6);
    assert_int_equal(s.trailing_bytes, 0);
    assert_int_equal(s.flatbuffer_bytes + 24 + 32 + 29 + 5 + 6 + s.padding_bytes, s.file_bytes);
    ets_file_close(file);
    file = open_data("gpt_xnnpack/model.pte", &program);
    ets_program_sizes(&program, &s);
    assert_int_equal(s.constant_bytes, 41472);
    assert_int_equal(s.delegate_bytes + s.named_data_bytes, 14208 + 430592);
    assert_int_equal(s.flatbuffer_bytes + s.constant_bytes + s.mutable_bytes + s.delegate_bytes +
                         s.named_data_bytes + s.unused_bytes + s.padding_bytes + s.trailing_bytes,
                     s.file_bytes);
    ets_file_close(file);
}

static void test_program__gives_what_the_text_leaves_out(void **state)
{
    (void)state;
    struct ets_program program;
    struct ets_method method;
    struct ets_chain chain;
    struct ets_instruction instruction;
    struct ets_program_frame frame;
    struct ets_evalue value;
    struct ets_planned_arena arena;
    struct ets_file *file = open_data("schema/everything.pte", &program);
    assert_int_equal(program.header_bytes, 32);
    assert_int_equal(ets_program_find_method(&program, "forward", &method, NULL), ETS_OK);
    assert_memory_equal(method.input_structure.data, "T1#1($)", 7);
    ets_method_chain(&method, 0, &chain);
    ets_chain_instruction(&chain, 0, &instruction);
    assert_int_equal(instruction.frame_count, 2);
    ets_instruction_frame(&instruction, 1, &frame);
    assert_string_equal(frame.file_name.data, "model.py");
    assert_string_equal(frame.name.data, "forward");
    assert_string_equal(frame.context.data, "return x + 1");
    assert_int_equal(frame.line, 12);
    ets_chain_instruction(&chain, 5, &instruction); /* beyond the traces */
    assert_int_equal(instruction.frame_count, 0);
    ets_method_value(&method, 12, &value);
    assert_int_equal(value.tensor.requires_grad, 1);
    ets_method_value(&method, 15, &value);
    assert_int_equal(value.tensor.device_type, ETS_DEVICE_CUDA);
    assert_int_equal(value.tensor.device_index, 2);
    ets_method_arena(&method, 0, &arena);
    assert_int_equal(arena.device_type, ETS_DEVICE_CPU);
    ets_method_arena(&method, 1, &arena);
    assert_int_equal(arena.device_type, ETS_DEVICE_CUDA);
    assert_int_equal(arena.device_index, 3);
    uint8_t roles[6];
    ets_program_segment_roles(&program, 0, 6, roles);
    const uint8_t expected[6] = {ETS_SEGMENT_CONSTANT,   ETS_SEGMENT_MUTABLE, ETS_SEGMENT_DELEGATE,
                                 ETS_SEGMENT_NAMED_DATA, ETS_SEGMENT_UNUSED,  ETS_SEGMENT_UNUSED};
    assert_memory_equal(roles, expected, sizeof roles);
    ets_file_close(file);
}

static void test_program__names_the_methods_there_are(void **state)
{
    (void)state;
    struct ets_program program;
    struct ets_method method;
    struct ets_error error;
    struct ets_file *file = open_data("multi_method/model.pte", &program);
    assert_int_equal(ets_program_find_method(&program, "decode", &method, &error), ETS_OK);
    assert_int_equal(method.index, 0);
    assert_int_equal(ets_program_find_method(&program, "dec", &method, &error), ETS_NOT_FOUND);
    assert_string_equal(error.message, "no method 'dec'; the program has decode, encode, forward");
    ets_file_close(file);
}

static void test_program__a_chain_beyond_the_last_is_empty(void **state)
{
    (void)state;
    struct ets_program program;
    struct ets_file *file = open_data("mlp_portable/model.pte", &program);
    struct ets_method method;
    struct ets_chain chain;
    ets_program_method(&program, 0, &method);
    for (uint32_t beyond = 0; beyond < 3; beyond++) {
        ets_method_chain(&method, method.chain_count + beyond, &chain);
        assert_int_equal(chain.instruction_count, 0);
        assert_int_equal(chain.trace_count, 0);
    }
    ets_method_chain(&method, UINT32_MAX, &chain);
    assert_int_equal(chain.instruction_count, 0);
    ets_file_close(file);
}

static void test_program__names_are_stable(void **state)
{
    (void)state;
    assert_string_equal(ets_evalue_kind_name(ETS_EVALUE_OPTIONAL_TENSOR_LIST),
                        "optional tensor list");
    assert_string_equal(ets_evalue_kind_name(ETS_EVALUE_UNKNOWN), "unknown");
    assert_string_equal(ets_instruction_kind_name(ETS_INSTRUCTION_FREE_CALL), "FreeCall");
    assert_string_equal(ets_instruction_kind_name(ETS_INSTRUCTION_UNKNOWN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program__reads_what_flatc_reads),
        cmocka_unit_test(test_program__sizes_add_up_to_the_file),
        cmocka_unit_test(test_program__gives_what_the_text_leaves_out),
        cmocka_unit_test(test_program__names_the_methods_there_are),
        cmocka_unit_test(test_program__a_chain_beyond_the_last_is_empty),
        cmocka_unit_test(test_program__names_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
