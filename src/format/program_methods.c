/* The methods of a program, and their tables: operators, delegates, planned arenas. */
#include "etscope/program.h"
#include "format/program_lists.h"
#include "format/program_parts.h"
#include "format/program_schema.h"

void ets_program_method(const struct ets_program *program, uint32_t index,
                        struct ets_method *method_out)
{
    const struct ets_fb plan =
        ets_fb_vector_table(ets_fb_vector(ets_program_root(program), PROGRAM_PLANS), index);
    const struct ets_fb container = ets_fb_table(plan, PLAN_CONTAINER);
    const uint32_t arena_sizes = ets_fb_vector(plan, PLAN_ARENAS).count;
    *method_out = (struct ets_method){
        .program = program,
        .name = ets_fb_text(plan, PLAN_NAME),
        .index = index,
        .input_count = ets_fb_vector(plan, PLAN_INPUTS).count,
        .output_count = ets_fb_vector(plan, PLAN_OUTPUTS).count,
        .value_count = ets_fb_vector(plan, PLAN_VALUES).count,
        .operator_count = ets_fb_vector(plan, PLAN_OPERATORS).count,
        .delegate_count = ets_fb_vector(plan, PLAN_DELEGATES).count,
        .chain_count = ets_fb_vector(plan, PLAN_CHAINS).count,
        .arena_count = arena_sizes == 0 ? 0 : arena_sizes - 1, /* entry 0 is reserved */
        .input_structure = ets_fb_text(container, CONTAINER_INPUT),
        .output_structure = ets_fb_text(container, CONTAINER_OUTPUT),
        .plan_at = plan.at,
    };
}

enum ets_status ets_program_find_method(const struct ets_program *program, const char *name,
                                        struct ets_method *method_out, struct ets_error *error)
{
    struct ets_parts_names names = {.size = 0};
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (ets_parts_is_text(method.name, name)) {
            *method_out = method;
            return ETS_OK;
        }
        ets_parts_add_name(&names, method.name);
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no method '%s'; the program has %s", name,
                    names.size != 0 ? names.text : "none");
}

void ets_method_operator(const struct ets_method *method, uint32_t index,
                         struct ets_operator *operator_out)
{
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(method), PLAN_OPERATORS), index);
    *operator_out = (struct ets_operator){ets_fb_text(table, OPERATOR_NAME),
                                          ets_fb_text(table, OPERATOR_OVERLOAD)};
}

void ets_method_delegate(const struct ets_method *method, uint32_t index,
                         struct ets_delegate *delegate_out)
{
    const struct ets_program *program = method->program;
    const struct ets_fb root = ets_program_root(program);
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(method), PLAN_DELEGATES), index);
    const struct ets_fb reference = ets_fb_table(table, DELEGATE_BLOB);
    const uint32_t blob_index = ets_fb_u32(reference, BLOB_INDEX, 0);
    struct ets_delegate delegate = {
        .id = ets_fb_text(table, DELEGATE_ID),
        .is_inline = ets_fb_i8(reference, BLOB_LOCATION, BLOB_INLINE) == BLOB_INLINE,
        .blob_index = blob_index,
        .compile_spec_count = ets_fb_vector(table, DELEGATE_COMPILE_SPECS).count,
        .delegate_at = table.at,
        .program = program,
    };
    if (delegate.is_inline) {
        const struct ets_fb_vector blobs = ets_fb_vector(root, PROGRAM_INLINE_DELEGATES);
        delegate.blob = ets_fb_bytes(ets_fb_vector_table(blobs, blob_index), 0);
    } else {
        struct ets_segment segment;
        ets_program_segment(program, blob_index, &segment);
        delegate.blob = segment.bytes;
    }
    *delegate_out = delegate;
}

void ets_delegate_compile_spec(const struct ets_delegate *delegate, uint32_t index,
                               struct ets_compile_spec *spec_out)
{
    const struct ets_fb table = {delegate->program->bytes.data, delegate->delegate_at};
    const struct ets_fb spec =
        ets_fb_vector_table(ets_fb_vector(table, DELEGATE_COMPILE_SPECS), index);
    *spec_out = (struct ets_compile_spec){ets_fb_text(spec, COMPILE_SPEC_KEY),
                                          ets_fb_bytes(spec, COMPILE_SPEC_VALUE)};
}

void ets_method_arena(const struct ets_method *method, uint32_t index,
                      struct ets_planned_arena *arena_out)
{
    const struct ets_fb plan = ets_method_plan(method);
    const struct ets_fb_vector devices = ets_fb_vector(plan, PLAN_DEVICES);
    const uint32_t memory_id = index + 1;
    *arena_out = (struct ets_planned_arena){
        .memory_id = memory_id,
        .bytes = ets_fb_vector_u64(ets_fb_vector(plan, PLAN_ARENAS), memory_id),
        .device_type = ETS_DEVICE_CPU,
    };
    /* The table of devices is sparse: arenas that it does not list are on the CPU. */
    for (uint32_t i = 0; i < devices.count; i++) {
        const struct ets_fb device = ets_fb_vector_table(devices, i);
        if ((uint32_t)ets_fb_i32(device, PLAN_DEVICE_BUFFER, 0) != memory_id) continue;
        arena_out->device_type = ets_fb_i8(device, PLAN_DEVICE_TYPE, 0);
        arena_out->device_index = ets_fb_i8(device, PLAN_DEVICE_INDEX, 0);
        return;
    }
}
