/* Damaged, cut and foreign files, for the readers of .pte, .bpte and .ptd. */
#include "format/program_schema.h"
#include "test_faults_support.h"
#include "test_files_support.h"
#include "walk_program.h"

enum { SMALL = 9000, MEDIUM = 5000, TINY = 3300 };

/* A file in a heap block of its own, so that a sanitizer sees one byte too far. */
struct copy {
    uint8_t *data;
    size_t size;
};

static struct copy load(const char *name)
{
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    const struct copy copy = {malloc(bytes.size), bytes.size};
    assert_non_null(copy.data);
    memcpy(copy.data, bytes.data, bytes.size);
    ets_file_close(file);
    return copy;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* Reads and walks; the readers are told apart by the first bytes, as the caller would. */
static enum ets_status read_program(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_program program;
    const enum ets_status status = ets_program_init(&program, bytes, error);
    if (status == ETS_OK) walk_program(&program);
    return status;
}

static enum ets_status read_bundle(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_bundle bundle;
    const enum ets_status status = ets_bundle_init(&bundle, bytes, error);
    if (status != ETS_OK) return status;
    walk_bundle(&bundle);
    return ETS_OK;
}

static enum ets_status read_data_file(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_data_file data;
    const enum ets_status status = ets_data_file_init(&data, bytes, error);
    if (status == ETS_OK) walk_data_file(&data);
    return status;
}

typedef enum ets_status reader(struct ets_bytes bytes, struct ets_error *error);

static enum ets_status expect_sane(reader *read, struct ets_bytes bytes)
{
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status = read(bytes, &error);
    if (status == ETS_OK) return status;
    assert_int_equal(error.status, status);
    assert_true(error.message[0] != '\0');
    /* A union's member may be said to lie up to 64 kB behind its table, and so behind the file. */
    if (error.offset > bytes.size) {
        fail_msg("offset %llu: %s", (unsigned long long)error.offset, error.message);
    }
    assert_true(status == ETS_TRUNCATED || status == ETS_MALFORMED || status == ETS_WRONG_KIND ||
                status == ETS_UNSUPPORTED || status == ETS_LIMIT);
    return status;
}

/* Every length of a small file; of a large one every length up to SMALL and then in steps. */
static void truncate_everywhere(const char *name, reader *read)
{
    struct copy whole = load(name);
    for (size_t size = 0; size < whole.size; size += size < SMALL ? FAULT_STRIDE : 4099) {
        uint8_t *cut = malloc(size > 0 ? size : 1);
        assert_non_null(cut);
        memcpy(cut, whole.data, size);
        const enum ets_status status = expect_sane(read, (struct ets_bytes){cut, size});
        /* A bundle ends in the padding of its last vector, which nothing needs. */
        const size_t needed = read == read_bundle ? whole.size - 16 : whole.size;
        if (status == ETS_OK && size < needed) fail_msg("%s: %zu bytes accepted", name, size);
        /* Without the extended header's sizes the FlatBuffer verifier itself meets the end. */
        if (read == read_program && size >= 64) {
            put(cut + 8, 0, 4);
            (void)expect_sane(read, (struct ets_bytes){cut, size});
        }
        free(cut);
    }
    free(whole.data);
}

/* Every byte of a file of the usual size, each fifth of a larger one. */
static void flip_everywhere(const char *name, reader *read)
{
    struct copy file = load(name);
    const size_t size = file.size < SMALL ? file.size : SMALL;
    for (size_t i = 0; i < size; i += FAULT_STRIDE * (file.size < MEDIUM ? 1 : 5)) {
        const uint8_t saved = file.data[i];
        const uint8_t damage[] = {(uint8_t)(saved ^ 1u << i % 8), (uint8_t)~saved, 0};
        const size_t damages = file.size < TINY ? sizeof damage : 1;
        for (size_t j = 0; j < damages; j++) {
            file.data[i] = damage[j];
            (void)expect_sane(read, (struct ets_bytes){file.data, file.size});
        }
        file.data[i] = saved;
    }
    assert_int_equal(expect_sane(read, (struct ets_bytes){file.data, file.size}), ETS_OK);
    free(file.data);
}

static const char *const programs[] = {
    "cond/model.pte",         "conv_portable/model.pte",
    "conv_xnnpack/model.pte", "conv_xnnpack_int8/model.pte",
    "dynamic/model.pte",      "map_loop/model.pte",
    "mlp_portable/model.pte", "mlp_xnnpack/model.pte",
    "multi_method/model.pte", "types/model.pte",
    "schema/everything.pte",  "schema/inline.pte",
    "ptd/external.pte",       "ptd/traces.pte",
};
static const char *const large_programs[] = {
    "gpt_portable/model.pte",
    "gpt_xnnpack/model.pte",
    "linear_fp32_xnnpack/model.pte",
    "linear_int8_xnnpack/model.pte",
};
static const char *const bundles[] = {
    "cond/model.bpte",  "dynamic/model.bpte",      "map_loop/model.bpte",
    "types/model.bpte", "multi_method/model.bpte", "schema/oddities.bpte",
};
static const char *const data_files[] = {"schema/named.ptd", "ptd/external.ptd"};

#define FOR_EACH(list, call)                                        \
    for (size_t k = 0; k < sizeof(list) / sizeof((list)[0]); k++) { \
        const char *const name = (list)[k];                         \
        call;                                                       \
    }

static void test_program_faults__truncated_at_every_byte(void **state)
{
    (void)state;
    FOR_EACH(programs, truncate_everywhere(name, read_program));
    FOR_EACH(large_programs, truncate_everywhere(name, read_program));
    FOR_EACH(data_files, truncate_everywhere(name, read_data_file));
}

/* Nothing says where a bundle ends, so what is cut must be found from the inside. */
static void test_program_faults__bundles_truncated_at_every_byte(void **state)
{
    (void)state;
    FOR_EACH(bundles, truncate_everywhere(name, read_bundle));
}

static void test_program_faults__bits_flipped_in_every_byte(void **state)
{
    (void)state;
    FOR_EACH(programs, flip_everywhere(name, read_program));
    FOR_EACH(bundles, flip_everywhere(name, read_bundle));
    FOR_EACH(data_files, flip_everywhere(name, read_data_file));
}

static void test_program_faults__other_kinds_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        reader *read;
        const char *message;
    } cases[] = {
        {"cond/model.bpte", read_program,
         "not an ExecuTorch program but a bundled program (.bpte)"},
        {"cond/model.pte", read_bundle, "not a bundled program but an ExecuTorch program (.pte)"},
        {"cond/profile.etdp", read_program, "not an ExecuTorch program but an ETDump"},
        {"cond/model.etrecord", read_bundle, "not a bundled program but an ETRecord"},
        {"cond/golden.json", read_data_file, "not a tensor data file but a JSON text"},
        {"cond/inputs/forward.0.0.npy", read_program,
         "not an ExecuTorch program but a NumPy array file (.npy)"},
        {"schema/named.ptd", read_program,
         "not an ExecuTorch program but a tensor data file (.ptd)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct copy file = load(cases[i].name);
        struct ets_error error;
        assert_int_equal(cases[i].read((struct ets_bytes){file.data, file.size}, &error),
                         ETS_WRONG_KIND);
        assert_string_equal(error.message, cases[i].message);
        free(file.data);
    }
    struct ets_error error;
    assert_int_equal(read_program((struct ets_bytes){NULL, 0}, &error), ETS_WRONG_KIND);
    assert_string_equal(error.message, "not an ExecuTorch program but an empty file");
    assert_int_equal(read_program((struct ets_bytes){NULL, 0}, NULL), ETS_WRONG_KIND);
}

/* One change of `width` bytes at `at` of a good file, and what the reader says then. */
struct change {
    size_t at;
    size_t width;
    uint64_t value;
    enum ets_status status;
    const char *message; /* NULL: any */
};

static void expect_changes(struct copy file, reader *read, const struct change *changes,
                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct change *change = &changes[i];
        uint8_t saved[8];
        struct ets_error error = {.message = ""};
        assert_true(change->at != 0);
        memcpy(saved, file.data + change->at, change->width);
        put(file.data + change->at, change->value, change->width);
        const enum ets_status status = read((struct ets_bytes){file.data, file.size}, &error);
        if (status != change->status ||
            (change->message != NULL && strcmp(error.message, change->message) != 0)) {
            fail_msg("change %zu: %s, %s\nexpected: %s", i, ets_status_name(status), error.message,
                     change->message != NULL ? change->message : ets_status_name(change->status));
        }
        memcpy(file.data + change->at, saved, change->width);
    }
}

static void test_program_faults__extended_header(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    const struct change changes[] = {
        {12, 4, 23, ETS_MALFORMED, "extended header has 23 bytes, fewer than 24"},
        {12, 4, 24, ETS_OK, NULL}, /* an older one: the end of the segments is the file's */
        {12, 4, 48, ETS_OK, NULL}, /* a newer one */
        {16, 8, 39, ETS_MALFORMED, "program size 39 is smaller than the header"},
        {16, 8, 3207, ETS_TRUNCATED,
         "the header announces a program of 3207 bytes, but the file has 3206"},
        {16, 8, UINT64_MAX, ETS_TRUNCATED, NULL},
        {24, 8, 2639, ETS_MALFORMED, "segments start at 2639, inside the program of 2640 bytes"},
        {24, 8, UINT64_MAX, ETS_TRUNCATED, NULL},
        {24, 8, 0, ETS_MALFORMED, "segment 0 has 24 bytes, but the header lists no segments"},
        {32, 8, 519, ETS_TRUNCATED,
         "519 bytes of segments at 2688 run past the end of the file of 3206"},
        {32, 8, 517, ETS_MALFORMED,
         "segment 5: 6 bytes at 512 lie outside the 517 bytes of segments"},
        {32, 8, 0, ETS_OK, NULL},
        {32, 8, UINT64_MAX, ETS_TRUNCATED, NULL},
    };
    expect_changes(file, read_program, changes, sizeof changes / sizeof changes[0]);
    struct ets_error error;
    put(file.data + 12, 24, 4); /* without the segments' size the file's end counts */
    assert_int_equal(read_program((struct ets_bytes){file.data, file.size - 1}, &error),
                     ETS_TRUNCATED);
    assert_string_equal(error.message, "segment 5: 6 bytes at 512 run past the end of the file");
    assert_int_equal(read_program((struct ets_bytes){file.data, 63}, &error), ETS_TRUNCATED);
    assert_int_equal(error.offset, 63);
    free(file.data);
}

/* The places in a file that the tests below change. */
struct places {
    struct ets_program program;
    struct ets_method method;
    struct ets_chain chain;
};

static void find_places(struct copy file, struct places *p)
{
    const struct ets_bytes bytes = {file.data, file.size};
    assert_int_equal(ets_program_init(&p->program, bytes, NULL), ETS_OK);
    assert_int_equal(ets_program_find_method(&p->program, "forward", &p->method, NULL), ETS_OK);
    ets_method_chain(&p->method, 0, &p->chain);
}

/* A field of instruction `index`, of the member of value `index`. */
static size_t in_instruction(const struct places *p, uint32_t index, unsigned slot)
{
    struct ets_instruction instruction;
    ets_chain_instruction(&p->chain, index, &instruction);
    return ets_fb_field_at((struct ets_fb){p->program.bytes.data, instruction.call_at}, slot);
}

static struct ets_fb value_member(const struct places *p, uint32_t index)
{
    struct ets_evalue value;
    ets_method_value(&p->method, index, &value);
    return ets_fb_table((struct ets_fb){p->program.bytes.data, value.value_at}, EVALUE_MEMBER);
}

static size_t in_value(const struct places *p, uint32_t index, unsigned slot)
{
    return ets_fb_field_at(value_member(p, index), slot);
}

static size_t list_of(const struct places *p, uint32_t index, unsigned slot)
{
    return ets_fb_vector(value_member(p, index), slot).at;
}

static void test_program_faults__instructions(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    struct places p;
    find_places(file, &p);
    struct ets_instruction call;
    ets_chain_instruction(&p.chain, 0, &call);
    const struct ets_fb plan = {file.data, p.method.plan_at};
    const struct change changes[] = {
        {call.arguments_at + 4, 4, 99, ETS_MALFORMED,
         "method forward: chain 0, instruction 0: value 99 is out of range; there are 19"},
        {call.arguments_at, 4, UINT32_MAX, ETS_MALFORMED,
         "method forward: chain 0, instruction 0: value -1 is out of range; there are 19"},
        {in_instruction(&p, 2, CALL_TARGET), 4, 2, ETS_MALFORMED,
         "method forward: chain 0, instruction 2: delegate 2 is out of range; there are 2"},
        {in_instruction(&p, 3, JUMP_CONDITION), 4, 19, ETS_MALFORMED,
         "method forward: chain 0, instruction 3: condition is value 19 is out of range; there are "
         "19"},
        {in_instruction(&p, 3, JUMP_DESTINATION), 4, 7, ETS_MALFORMED,
         "method forward: chain 0, instruction 3: jumps to instruction 7 is out of range; there "
         "are 7"},
        {in_instruction(&p, 3, JUMP_DESTINATION), 4, 6, ETS_OK, NULL},
        {in_instruction(&p, 3, JUMP_DESTINATION), 4, 0, ETS_OK, NULL},
        {in_instruction(&p, 3, JUMP_DESTINATION), 4, UINT32_MAX, ETS_MALFORMED, NULL},
        {in_instruction(&p, 4, MOVE_FROM), 4, 19, ETS_MALFORMED,
         "method forward: chain 0, instruction 4: moves from value 19 is out of range; there are "
         "19"},
        {in_instruction(&p, 4, MOVE_TO), 4, 19, ETS_MALFORMED,
         "method forward: chain 0, instruction 4: moves to value 19 is out of range; there are 19"},
        {in_instruction(&p, 5, FREE_VALUE), 4, 19, ETS_MALFORMED,
         "method forward: chain 0, instruction 5: frees value 19 is out of range; there are 19"},
        {ets_fb_vector(plan, PLAN_INPUTS).at, 4, 19, ETS_MALFORMED,
         "method forward: inputs: value 19 is out of range; there are 19"},
        {ets_fb_vector(plan, PLAN_OUTPUTS).at + 4, 4, 19, ETS_MALFORMED,
         "method forward: outputs: value 19 is out of range; there are 19"},
    };
    expect_changes(file, read_program, changes, sizeof changes / sizeof changes[0]);
    free(file.data);
}

static void test_program_faults__values(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    struct places p;
    find_places(file, &p);
    const size_t sizes = list_of(&p, 10, TENSOR_SIZES);
    const struct ets_fb planned = ets_fb_table(value_member(&p, 12), TENSOR_ALLOCATION);
    const struct ets_fb extra = ets_fb_table(value_member(&p, 14), TENSOR_EXTRA);
    const struct change changes[] = {
        {list_of(&p, 5, 0), 8, 10, ETS_MALFORMED,
         "method forward: value 5: item 0 of int list is value 10, of kind tensor"},
        {list_of(&p, 5, 0) + 8, 8, UINT64_C(1) << 32, ETS_MALFORMED,
         "method forward: value 5: item names value 4294967296 is out of range; there are 19"},
        {list_of(&p, 8, 0), 4, UINT32_MAX, ETS_MALFORMED,
         "method forward: value 8: item names value -1 is out of range; there are 19"},
        {list_of(&p, 8, 0), 4, 8, ETS_MALFORMED,
         "method forward: value 8: item 0 of tensor list is value 8, of kind tensor list"},
        {list_of(&p, 9, 0) + 4, 4, (uint32_t)-2, ETS_MALFORMED, NULL},
        {in_value(&p, 10, TENSOR_DATA_BUFFER), 4, 2, ETS_MALFORMED,
         "method forward: value 10: data buffer 2 is out of range; the program has 2"},
        {in_value(&p, 10, TENSOR_SCALAR_TYPE), 1, 77, ETS_UNSUPPORTED,
         "method forward: value 10: tensor with unknown scalar type 77"},
        {in_value(&p, 13, TENSOR_DYNAMISM), 1, 3, ETS_UNSUPPORTED,
         "method forward: value 13: tensor with unknown shape dynamism 3"},
        {sizes, 4, 3, ETS_MALFORMED,
         "method forward: value 10: tensor of 36 bytes, but data buffer 1 has only 24"},
        {sizes, 4, UINT32_MAX, ETS_MALFORMED,
         "method forward: value 10: tensor with size -1 in dimension 0"},
        {sizes - 4, 4, 1, ETS_MALFORMED,
         "method forward: value 10: tensor with 1 sizes but 2 in its dim_order"},
        {list_of(&p, 10, TENSOR_DIM_ORDER), 1, 1, ETS_MALFORMED,
         "method forward: value 10: tensor with a dim_order that is not a permutation"},
        {ets_fb_field_at(planned, ALLOCATION_MEMORY_ID), 4, 3, ETS_MALFORMED,
         "method forward: value 12: tensor in planned memory 3, but the method has 2 (from 1)"},
        {ets_fb_field_at(planned, ALLOCATION_MEMORY_ID), 4, 0, ETS_MALFORMED, NULL},
        {ets_fb_field_at(planned, ALLOCATION_OFFSET_LOW), 4, 593, ETS_MALFORMED,
         "method forward: value 12: "
         "tensor of 16 bytes at 593 lies outside planned memory 1 of 608"},
        {ets_fb_field_at(planned, ALLOCATION_OFFSET_LOW), 4, 592, ETS_OK, NULL},
        {ets_fb_field_at(extra, EXTRA_LOCATION), 1, 2, ETS_UNSUPPORTED,
         "method forward: value 14: tensor at unknown location 2"},
    };
    expect_changes(file, read_program, changes, sizeof changes / sizeof changes[0]);
    free(file.data);
}

static void test_program_faults__delegates_arenas_segments(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    struct places p;
    find_places(file, &p);
    const struct ets_fb root = ets_program_root(&p.program);
    const struct ets_fb plan = {file.data, p.method.plan_at};
    const struct ets_fb delegate = ets_fb_vector_table(ets_fb_vector(plan, PLAN_DELEGATES), 0);
    const struct ets_fb blob = ets_fb_table(delegate, DELEGATE_BLOB);
    const struct ets_fb device = ets_fb_vector_table(ets_fb_vector(plan, PLAN_DEVICES), 0);
    const struct ets_fb named = ets_fb_vector_table(ets_fb_vector(root, PROGRAM_NAMED_DATA), 1);
    const struct ets_fb state_list =
        ets_fb_vector_table(ets_fb_vector(root, PROGRAM_MUTABLE_SEGMENTS), 0);
    const struct ets_fb segment = ets_fb_vector_table(ets_fb_vector(root, PROGRAM_SEGMENTS), 1);
    const struct change changes[] = {
        {ets_fb_field_at(blob, BLOB_INDEX), 4, 6, ETS_MALFORMED,
         "method forward: delegate 0: segment 6 is out of range; there are 6"},
        {ets_fb_field_at(blob, BLOB_LOCATION), 1, 0, ETS_MALFORMED,
         "method forward: delegate 0: inline data 2 is out of range; there are 1"},
        {ets_fb_field_at(blob, BLOB_LOCATION), 1, 2, ETS_UNSUPPORTED,
         "method forward: delegate 0: data at unknown location 2"},
        {ets_fb_field_at(device, PLAN_DEVICE_BUFFER), 4, 0, ETS_MALFORMED,
         "method forward: a device for planned memory 0, but the method has 2 (from 1)"},
        {ets_fb_vector(plan, PLAN_ARENAS).at + 8, 8, UINT64_MAX, ETS_MALFORMED,
         "method forward: planned memory 1 has -1 bytes"},
        {ets_fb_field_at(named, NAMED_DATA_SEGMENT), 4, 6, ETS_MALFORMED,
         "named data 1: segment 6 is out of range; the program has 6"},
        {ets_fb_field_at(state_list, OFFSETS_SEGMENT), 4, 6, ETS_MALFORMED,
         "initial values are in segment 6, but the program has 6"},
        {ets_fb_vector(state_list, OFFSETS_OFFSETS).at + 16, 8, 33, ETS_MALFORMED,
         "method forward: value 12: data buffer 2 starts at 33 in a segment of 32 bytes"},
        {ets_fb_field_at(segment, 0), 8, UINT64_MAX, ETS_MALFORMED, NULL},
        {ets_fb_field_at(segment, 1), 8, UINT64_MAX, ETS_MALFORMED, NULL},
    };
    expect_changes(file, read_program, changes, sizeof changes / sizeof changes[0]);
    free(file.data);
}

static void test_program_faults__kinds_of_newer_writers_are_kept(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    struct places p;
    find_places(file, &p);
    const struct ets_fb chain = {file.data, p.chain.chain_at};
    const struct ets_fb first = ets_fb_vector_table(ets_fb_vector(chain, CHAIN_INSTRUCTIONS), 0);
    struct ets_evalue value;
    struct ets_instruction instruction;
    ets_method_value(&p.method, 1, &value);
    const struct ets_fb evalue = {file.data, value.value_at};
    file.data[ets_fb_field_at(first, INSTRUCTION_TAG)] = 200;
    file.data[ets_fb_field_at(evalue, EVALUE_TAG)] = 100;
    struct ets_error error;
    /* Nobody may point at a value of unknown kind as if it were a number. */
    assert_int_equal(read_program((struct ets_bytes){file.data, file.size}, &error), ETS_MALFORMED);
    assert_string_equal(error.message,
                        "method forward: value 5: item 0 of int list is value 1, of kind unknown");
    put(file.data + list_of(&p, 5, 0) - 4, 0, 4);
    assert_int_equal(read_program((struct ets_bytes){file.data, file.size}, &error), ETS_OK);
    ets_method_value(&p.method, 1, &value);
    assert_int_equal(value.kind, ETS_EVALUE_UNKNOWN);
    assert_int_equal(value.tag, 100);
    ets_chain_instruction(&p.chain, 0, &instruction);
    assert_int_equal(instruction.kind, ETS_INSTRUCTION_UNKNOWN);
    assert_int_equal(instruction.tag, 200);
    assert_int_equal(instruction.argument_count, 0);
    free(file.data);
}

/* Lists over the same bytes would let a small file cost quadratic time. */
static void test_program_faults__overlapping_lists_are_refused(void **state)
{
    (void)state;
    struct copy file = load("schema/everything.pte");
    struct places p;
    struct ets_error error;
    find_places(file, &p);
    struct ets_evalue list, value;
    ets_method_value(&p.method, 5, &list);
    const size_t table = value_member(&p, 5).at;
    const struct ets_fb first = {file.data, list.value_at};
    put(file.data + list.items_at - 4, p.program.flatbuffer_bytes - list.items_at, 4);
    file.data[ets_fb_field_at(first, EVALUE_TAG)] = ETS_EVALUE_BOOL_LIST;
    assert_int_equal(read_program((struct ets_bytes){file.data, file.size}, &error), ETS_OK);
    for (uint32_t i = 6; i < p.method.value_count; i++) {
        ets_method_value(&p.method, i, &value);
        const struct ets_fb evalue = {file.data, value.value_at};
        const size_t member_at = ets_fb_field_at(evalue, EVALUE_MEMBER);
        assert_true(member_at < table);
        put(file.data + member_at, table - member_at, 4);
        file.data[ets_fb_field_at(evalue, EVALUE_TAG)] = ETS_EVALUE_BOOL_LIST;
    }
    assert_int_equal(read_program((struct ets_bytes){file.data, file.size}, &error), ETS_MALFORMED);
    assert_non_null(strstr(error.message, "items overlap with those of other lists"));
    free(file.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_faults__truncated_at_every_byte),
        cmocka_unit_test(test_program_faults__bundles_truncated_at_every_byte),
        cmocka_unit_test(test_program_faults__bits_flipped_in_every_byte),
        cmocka_unit_test(test_program_faults__other_kinds_are_named),
        cmocka_unit_test(test_program_faults__extended_header),
        cmocka_unit_test(test_program_faults__instructions),
        cmocka_unit_test(test_program_faults__values),
        cmocka_unit_test(test_program_faults__delegates_arenas_segments),
        cmocka_unit_test(test_program_faults__overlapping_lists_are_refused),
        cmocka_unit_test(test_program_faults__kinds_of_newer_writers_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
