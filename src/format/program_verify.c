/* Checks of a program beyond FlatBuffers, so that no accessor can leave the file. */
#include "format/program_names.h"
#include "format/program_parts.h"
#include "format/program_schema.h"

/*
 * The runtime has one or two arenas, and no device has thousands. More can only come from a vector
 * that points into unrelated bytes.
 */
enum { MAX_ARENAS = 4096 };

struct checker {
    struct ets_method method;
    /*
     * In a hostile file vectors of numbers may overlap, so that a small file costs quadratic time
     * here and in code that reads the lists. An ordinary file has each item once.
     */
    uint64_t bytes_left;
    struct ets_error *error;
};

static enum ets_status spend(struct checker *c, struct ets_fb_vector items, size_t item_bytes)
{
    const uint64_t bytes = (uint64_t)items.count * item_bytes;
    if (bytes > c->bytes_left) {
        return ets_fail(c->error, ETS_MALFORMED, items.at,
                        "%u items overlap with those of other lists", items.count);
    }
    c->bytes_left -= bytes;
    return ETS_OK;
}

static enum ets_status check_index(const struct checker *c, int64_t index, uint32_t count,
                                   const char *what, size_t at)
{
    if (index >= 0 && index < (int64_t)count) return ETS_OK;
    return ets_fail(c->error, ETS_MALFORMED, at, "%s %lld is out of range; there are %u", what,
                    (long long)index, count);
}

/* Checks a vector of i32 indices of values. */
static enum ets_status check_value_indices(struct checker *c, struct ets_fb_vector items)
{
    ETS_TRY(spend(c, items, 4));
    for (uint32_t i = 0; i < items.count; i++) {
        ETS_TRY(check_index(c, ets_fb_vector_i32(items, i), c->method.value_count, "value",
                            items.at + 4 * (size_t)i));
    }
    return ETS_OK;
}

static enum ets_evalue_kind kind_of(const struct checker *c, uint32_t index)
{
    const struct ets_fb_vector values = ets_fb_vector(ets_method_plan(&c->method), PLAN_VALUES);
    const uint8_t tag = ets_fb_u8(ets_fb_vector_table(values, index), EVALUE_TAG, 0);
    return tag <= ETS_EVALUE_OPTIONAL_TENSOR_LIST ? (enum ets_evalue_kind)tag : ETS_EVALUE_UNKNOWN;
}

/* Items must have the list's element kind: nested lists would make readers recurse. */
static enum ets_status check_item(const struct checker *c, enum ets_evalue_kind list, int64_t item,
                                  uint32_t position, size_t at)
{
    const bool is_optional = list == ETS_EVALUE_OPTIONAL_TENSOR_LIST;
    if (is_optional && item == -1) return ETS_OK;
    ETS_TRY(check_index(c, item, c->method.value_count, "item names value", at));
    const enum ets_evalue_kind kind = kind_of(c, (uint32_t)item);
    const enum ets_evalue_kind wanted =
        list == ETS_EVALUE_INT_LIST ? ETS_EVALUE_INT : ETS_EVALUE_TENSOR;
    if (kind == wanted || (is_optional && kind == ETS_EVALUE_NULL)) return ETS_OK;
    return ets_fail(c->error, ETS_MALFORMED, at, "item %u of %s is value %lld, of kind %s",
                    position, ets_evalue_kind_name(list), (long long)item,
                    ets_evalue_kind_name(kind));
}

static enum ets_status check_value(struct checker *c, uint32_t index)
{
    struct ets_evalue value;
    ETS_TRY(ets_program_read_value(&c->method, index, &value, c->error));
    const struct ets_fb_vector items = {c->method.program->bytes.data, value.items_at,
                                        value.item_count};
    switch (value.kind) {
    case ETS_EVALUE_BOOL_LIST: return spend(c, items, 1);
    case ETS_EVALUE_DOUBLE_LIST: return spend(c, items, 8);
    case ETS_EVALUE_INT_LIST:
        ETS_TRY(spend(c, items, 8));
        for (uint32_t i = 0; i < items.count; i++) {
            ETS_TRY(check_item(c, value.kind, ets_fb_vector_i64(items, i), i,
                               items.at + 8 * (size_t)i));
        }
        return ETS_OK;
    case ETS_EVALUE_TENSOR_LIST:
    case ETS_EVALUE_OPTIONAL_TENSOR_LIST:
        ETS_TRY(spend(c, items, 4));
        for (uint32_t i = 0; i < items.count; i++) {
            ETS_TRY(check_item(c, value.kind, ets_fb_vector_i32(items, i), i,
                               items.at + 4 * (size_t)i));
        }
        return ETS_OK;
    default: return ETS_OK;
    }
}

static enum ets_status check_call(struct checker *c, struct ets_fb call, uint32_t target_count,
                                  const char *what)
{
    ETS_TRY(check_index(c, ets_fb_i32(call, CALL_TARGET, 0), target_count, what, call.at));
    return check_value_indices(c, ets_fb_vector(call, CALL_ARGUMENTS));
}

static enum ets_status check_instruction(struct checker *c, struct ets_fb instruction,
                                         uint32_t instruction_count)
{
    const uint32_t values = c->method.value_count;
    const uint8_t tag = ets_fb_u8(instruction, INSTRUCTION_TAG, 0);
    if (tag == ETS_INSTRUCTION_UNKNOWN || tag > ETS_INSTRUCTION_FREE_CALL) return ETS_OK;
    const struct ets_fb member = ets_fb_table(instruction, INSTRUCTION_MEMBER);
    switch (tag) {
    case ETS_INSTRUCTION_KERNEL_CALL:
        return check_call(c, member, c->method.operator_count, "operator");
    case ETS_INSTRUCTION_DELEGATE_CALL:
        return check_call(c, member, c->method.delegate_count, "delegate");
    case ETS_INSTRUCTION_MOVE_CALL:
        ETS_TRY(check_index(c, ets_fb_i32(member, MOVE_FROM, 0), values, "moves from value",
                            member.at));
        return check_index(c, ets_fb_i32(member, MOVE_TO, 0), values, "moves to value", member.at);
    case ETS_INSTRUCTION_JUMP_FALSE_CALL:
        ETS_TRY(check_index(c, ets_fb_i32(member, JUMP_CONDITION, 0), values, "condition is value",
                            member.at));
        /* One past the last instruction ends the chain. */
        return check_index(c, ets_fb_i32(member, JUMP_DESTINATION, 0), instruction_count + 1,
                           "jumps to instruction", member.at);
    default:
        return check_index(c, ets_fb_i32(member, FREE_VALUE, 0), values, "frees value", member.at);
    }
}

static enum ets_status check_chain(struct checker *c, uint32_t index)
{
    struct ets_chain chain;
    ets_method_chain(&c->method, index, &chain);
    const struct ets_fb table = {c->method.program->bytes.data, chain.chain_at};
    const struct ets_fb_vector instructions = ets_fb_vector(table, CHAIN_INSTRUCTIONS);
    for (uint32_t i = 0; i < instructions.count; i++) {
        const enum ets_status status =
            check_instruction(c, ets_fb_vector_table(instructions, i), instructions.count);
        if (status != ETS_OK) {
            return ets_parts_fail_within(c->error, status, "chain %u, instruction %u", index, i);
        }
    }
    return ETS_OK;
}

static enum ets_status check_delegate(const struct checker *c, uint32_t index)
{
    const struct ets_program *program = c->method.program;
    const struct ets_fb delegate =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(&c->method), PLAN_DELEGATES), index);
    const struct ets_fb blob = ets_fb_table(delegate, DELEGATE_BLOB);
    const int location = ets_fb_i8(blob, BLOB_LOCATION, BLOB_INLINE);
    const uint32_t blob_index = ets_fb_u32(blob, BLOB_INDEX, 0);
    if (location == BLOB_INLINE) {
        const uint32_t count =
            ets_fb_vector(ets_program_root(program), PROGRAM_INLINE_DELEGATES).count;
        return check_index(c, blob_index, count, "inline data", blob.at);
    }
    if (location == BLOB_IN_SEGMENT) {
        return check_index(c, blob_index, program->segment_count, "segment", blob.at);
    }
    return ets_fail(c->error, ETS_UNSUPPORTED, blob.at, "data at unknown location %d", location);
}

static enum ets_status check_arenas(struct checker *c)
{
    const struct ets_fb plan = ets_method_plan(&c->method);
    const struct ets_fb_vector sizes = ets_fb_vector(plan, PLAN_ARENAS);
    const struct ets_fb_vector devices = ets_fb_vector(plan, PLAN_DEVICES);
    if (sizes.count > MAX_ARENAS || devices.count > MAX_ARENAS) {
        return ets_fail(c->error, ETS_LIMIT, plan.at,
                        "%u planned memories on %u devices, over the limit of %d", sizes.count,
                        devices.count, MAX_ARENAS);
    }
    for (uint32_t i = 0; i < sizes.count; i++) {
        const int64_t bytes = ets_fb_vector_i64(sizes, i);
        if (bytes >= 0) continue;
        return ets_fail(c->error, ETS_MALFORMED, sizes.at + 8 * (size_t)i,
                        "planned memory %u has %lld bytes", i, (long long)bytes);
    }
    for (uint32_t i = 0; i < devices.count; i++) {
        const struct ets_fb device = ets_fb_vector_table(devices, i);
        const int32_t arena = ets_fb_i32(device, PLAN_DEVICE_BUFFER, 0);
        if (arena >= 1 && (uint32_t)arena <= c->method.arena_count) continue;
        return ets_fail(c->error, ETS_MALFORMED, device.at,
                        "a device for planned memory %d, but the method has %u (from 1)",
                        (int)arena, c->method.arena_count);
    }
    return ETS_OK;
}

static enum ets_status check_values(struct checker *c)
{
    for (uint32_t i = 0; i < c->method.value_count; i++) {
        const enum ets_status status = check_value(c, i);
        if (status != ETS_OK) return ets_parts_fail_within(c->error, status, "value %u", i);
    }
    return ETS_OK;
}

static enum ets_status check_method(struct checker *c)
{
    const struct ets_fb plan = ets_method_plan(&c->method);
    ETS_TRY(check_arenas(c));
    ETS_TRY(check_values(c));
    enum ets_status status = check_value_indices(c, ets_fb_vector(plan, PLAN_INPUTS));
    if (status != ETS_OK) return ets_parts_fail_within(c->error, status, "inputs");
    status = check_value_indices(c, ets_fb_vector(plan, PLAN_OUTPUTS));
    if (status != ETS_OK) return ets_parts_fail_within(c->error, status, "outputs");
    for (uint32_t i = 0; i < c->method.delegate_count; i++) {
        status = check_delegate(c, i);
        if (status != ETS_OK) return ets_parts_fail_within(c->error, status, "delegate %u", i);
    }
    for (uint32_t i = 0; i < c->method.chain_count; i++) ETS_TRY(check_chain(c, i));
    return ETS_OK;
}

/* A list of one offset has only the placeholder "no data"; then no segment is read. */
static enum ets_status check_offsets(const struct ets_program *program, struct ets_fb offsets,
                                     const char *what, struct ets_error *error)
{
    const uint32_t segment = ets_fb_u32(offsets, OFFSETS_SEGMENT, 0);
    if (ets_fb_vector(offsets, OFFSETS_OFFSETS).count <= 1 || segment < program->segment_count) {
        return ETS_OK;
    }
    return ets_fail(error, ETS_MALFORMED, offsets.at,
                    "%s are in segment %u, but the program has %u", what, segment,
                    program->segment_count);
}

/* Checks references to segments from outside the methods. */
static enum ets_status check_segment_users(const struct ets_program *program,
                                           struct ets_error *error)
{
    const struct ets_fb root = ets_program_root(program);
    ETS_TRY(
        check_offsets(program, ets_fb_table(root, PROGRAM_CONSTANT_SEGMENT), "constants", error));
    const struct ets_fb_vector mutables = ets_fb_vector(root, PROGRAM_MUTABLE_SEGMENTS);
    for (uint32_t i = 0; i < mutables.count; i++) {
        ETS_TRY(check_offsets(program, ets_fb_vector_table(mutables, i), "initial values", error));
    }
    const struct ets_fb_vector named = ets_fb_vector(root, PROGRAM_NAMED_DATA);
    for (uint32_t i = 0; i < named.count; i++) {
        const struct ets_fb data = ets_fb_vector_table(named, i);
        const uint32_t segment = ets_fb_u32(data, NAMED_DATA_SEGMENT, 0);
        if (segment < program->segment_count) continue;
        return ets_fail(error, ETS_MALFORMED, data.at,
                        "named data %u: segment %u is out of range; the program has %u", i, segment,
                        program->segment_count);
    }
    return ETS_OK;
}

enum ets_status ets_program_verify_meaning(const struct ets_program *program,
                                           struct ets_error *error)
{
    ETS_TRY(check_segment_users(program, error));
    struct checker c = {.bytes_left = program->flatbuffer_bytes, .error = error};
    for (uint32_t i = 0; i < program->method_count; i++) {
        ets_program_method(program, i, &c.method);
        const enum ets_status status = check_method(&c);
        if (status == ETS_OK) continue;
        const int name_size = c.method.name.size < 64 ? (int)c.method.name.size : 64;
        return ets_parts_fail_within(error, status, "method %.*s", name_size, c.method.name.data);
    }
    return ETS_OK;
}
