/*
 * Walks everything that the readers of .pte, .bpte and .ptd hand out, and touches the bytes at both
 * ends of it, so that a sanitizer sees an accessor that leaves the file. For tests and fuzzing.
 */
#ifndef ETSCOPE_TESTS_WALK_PROGRAM_H
#define ETSCOPE_TESTS_WALK_PROGRAM_H

#include "etscope/bundle.h"
#include "etscope/program.h"
#include "format/program_lists.h"
#include "format/program_names.h"
#include "walk_bytes.h"

static inline void walk_tensor(const struct ets_tensor *tensor)
{
    walk_bytes(tensor->data, tensor->data_bytes);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        walk_sink += (uint64_t)tensor->sizes[i] + (uint64_t)tensor->strides[i];
        if (tensor->sizes[i] < 0 || tensor->strides[i] < 0) __builtin_trap();
    }
    if (ets_tensor_count(tensor) == UINT64_MAX) __builtin_trap();
}

static inline void walk_evalue(const struct ets_method *method, const struct ets_evalue *value)
{
    walk_text(value->string);
    for (uint32_t i = 0; i < value->item_count; i++) {
        if (value->kind == ETS_EVALUE_DOUBLE_LIST) {
            walk_sink += ets_evalue_double(value, i) > 0.0;
        } else if (value->kind == ETS_EVALUE_BOOL_LIST) {
            walk_sink += (uint64_t)ets_evalue_bool(value, i);
        } else {
            const int32_t item = ets_evalue_item(value, i);
            struct ets_evalue member;
            if (item < -1 || item >= (int64_t)method->value_count) __builtin_trap();
            if (item >= 0) ets_method_value(method, (uint32_t)item, &member);
        }
    }
    if (value->kind == ETS_EVALUE_TENSOR) {
        walk_tensor(&value->tensor.tensor);
        walk_text(value->tensor.qualified_name);
        walk_sink += (uint64_t)ets_tensor_place_name(value->tensor.place)[0];
        if (value->tensor.memory_id > method->arena_count) __builtin_trap();
    }
    walk_sink += (uint64_t)ets_evalue_kind_name(value->kind)[0];
}

static inline void walk_instruction(const struct ets_method *method,
                                    const struct ets_instruction *instruction)
{
    walk_text(instruction->name);
    walk_text(instruction->overload);
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        if (ets_instruction_argument(instruction, i) >= method->value_count) __builtin_trap();
    }
    for (uint32_t i = 0; i < instruction->frame_count; i++) {
        struct ets_program_frame frame;
        ets_instruction_frame(instruction, i, &frame);
        walk_text(frame.file_name);
        walk_text(frame.name);
        walk_text(frame.context);
    }
    walk_sink += (uint64_t)ets_instruction_kind_name(instruction->kind)[0];
}

static inline void walk_method(const struct ets_method *method)
{
    struct ets_evalue value;
    walk_text(method->name);
    walk_text(method->input_structure);
    walk_text(method->output_structure);
    for (uint32_t i = 0; i < method->value_count; i++) {
        ets_method_value(method, i, &value);
        walk_evalue(method, &value);
    }
    for (uint32_t i = 0; i < method->input_count; i++) ets_method_input(method, i, &value);
    for (uint32_t i = 0; i < method->output_count; i++) ets_method_output(method, i, &value);
    for (uint32_t i = 0; i < method->operator_count; i++) {
        struct ets_operator op;
        ets_method_operator(method, i, &op);
        walk_text(op.name);
        walk_text(op.overload);
    }
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        walk_text(delegate.id);
        walk_bytes(delegate.blob.data, delegate.blob.size);
        for (uint32_t j = 0; j < delegate.compile_spec_count; j++) {
            struct ets_compile_spec spec;
            ets_delegate_compile_spec(&delegate, j, &spec);
            walk_text(spec.key);
            walk_bytes(spec.value.data, spec.value.size);
        }
    }
    for (uint32_t i = 0; i < method->arena_count; i++) {
        struct ets_planned_arena arena;
        ets_method_arena(method, i, &arena);
        walk_sink += arena.bytes;
    }
    for (uint32_t i = 0; i < method->chain_count; i++) {
        struct ets_chain chain;
        ets_method_chain(method, i, &chain);
        for (uint32_t j = 0; j < chain.instruction_count; j++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, j, &instruction);
            if (instruction.destination > (int64_t)chain.instruction_count) __builtin_trap();
            walk_instruction(method, &instruction);
        }
    }
}

static inline void walk_program(const struct ets_program *program)
{
    struct ets_program_sizes sizes;
    ets_program_sizes(program, &sizes);
    walk_sink += sizes.padding_bytes + ets_program_fingerprint(program);
    for (uint32_t i = 0; i < program->segment_count; i++) {
        struct ets_segment segment;
        ets_program_segment(program, i, &segment);
        walk_bytes(segment.bytes.data, segment.bytes.size);
    }
    for (uint32_t i = 0; i < program->named_data_count; i++) {
        struct ets_program_named_data data;
        ets_program_named_data(program, i, &data);
        walk_text(data.key);
        walk_bytes(data.bytes.data, data.bytes.size);
    }
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        walk_method(&method);
    }
}

static inline void walk_bundle(const struct ets_bundle *bundle)
{
    walk_bytes(bundle->program.data, bundle->program.size);
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        walk_text(suite.method_name);
        for (uint32_t j = 0; j < suite.case_count; j++) {
            struct ets_bundle_case test_case;
            ets_bundle_case(&suite, j, &test_case);
            for (uint32_t k = 0; k < test_case.input_count + test_case.expected_count; k++) {
                struct ets_value value;
                if (k < test_case.input_count) ets_bundle_input(&test_case, k, &value);
                else ets_bundle_expected(&test_case, k - test_case.input_count, &value);
                if (value.kind == ETS_VALUE_TENSOR) walk_tensor(&value.as.tensor);
            }
        }
    }
}

static inline void walk_data_file(const struct ets_data_file *data)
{
    for (uint32_t i = 0; i < data->segment_count; i++) {
        struct ets_data_segment segment;
        ets_data_file_segment(data, i, &segment);
        walk_bytes(segment.bytes.data, segment.bytes.size);
    }
    for (uint32_t i = 0; i < data->entry_count; i++) {
        struct ets_data_entry entry;
        ets_data_file_entry(data, i, &entry);
        walk_text(entry.key);
        walk_bytes(entry.bytes.data, entry.bytes.size);
        if (entry.has_layout) walk_tensor(&entry.tensor);
    }
}

#endif
