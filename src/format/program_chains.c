/* Reads the chains of a method: instructions, their arguments and their stack frames. */
#include "format/program_lists.h"
#include "format/program_names.h"
#include "format/program_schema.h"

void ets_method_chain(const struct ets_method *method, uint32_t index, struct ets_chain *chain_out)
{
    const struct ets_fb plan = ets_method_plan(method);
    const struct ets_fb_vector chains = ets_fb_vector(plan, PLAN_CHAINS);
    struct ets_fb table = {plan.base, 0};
    if (index < chains.count) table = ets_fb_vector_table(chains, index);
    const uint32_t instructions = ets_fb_vector(table, CHAIN_INSTRUCTIONS).count;
    const uint32_t traces = ets_fb_vector(table, CHAIN_TRACES).count;
    *chain_out = (struct ets_chain){
        .method = *method,
        .index = index,
        .instruction_count = instructions,
        /* Bodies of control flow have no traces, so there may be fewer, but never more. */
        .trace_count = traces < instructions ? traces : instructions,
        .chain_at = table.at,
    };
}

static void read_call(const struct ets_chain *chain, struct ets_fb call,
                      struct ets_instruction *instruction)
{
    const struct ets_fb_vector arguments = ets_fb_vector(call, CALL_ARGUMENTS);
    const int32_t target = ets_fb_i32(call, CALL_TARGET, 0);
    instruction->argument_count = arguments.count;
    instruction->arguments_at = arguments.at;
    if (instruction->kind == ETS_INSTRUCTION_KERNEL_CALL) {
        struct ets_operator op;
        ets_method_operator(&chain->method, (uint32_t)target, &op);
        instruction->operator_index = target;
        instruction->name = op.name;
        instruction->overload = op.overload;
    } else {
        struct ets_delegate delegate;
        ets_method_delegate(&chain->method, (uint32_t)target, &delegate);
        instruction->delegate_index = target;
        instruction->name = delegate.id;
    }
}

static void read_operands(struct ets_fb member, struct ets_instruction *instruction)
{
    switch (instruction->kind) {
    case ETS_INSTRUCTION_MOVE_CALL:
        instruction->operands[0] = ets_fb_u32(member, MOVE_FROM, 0);
        instruction->operands[1] = ets_fb_u32(member, MOVE_TO, 0);
        instruction->argument_count = 2;
        break;
    case ETS_INSTRUCTION_JUMP_FALSE_CALL:
        instruction->operands[0] = ets_fb_u32(member, JUMP_CONDITION, 0);
        instruction->destination = ets_fb_i32(member, JUMP_DESTINATION, 0);
        instruction->argument_count = 1;
        break;
    case ETS_INSTRUCTION_FREE_CALL:
        instruction->operands[0] = ets_fb_u32(member, FREE_VALUE, 0);
        instruction->argument_count = 1;
        break;
    default: break;
    }
}

void ets_chain_instruction(const struct ets_chain *chain, uint32_t index,
                           struct ets_instruction *instruction_out)
{
    const struct ets_program *program = chain->method.program;
    const struct ets_fb table = {program->bytes.data, chain->chain_at};
    const struct ets_fb instruction =
        ets_fb_vector_table(ets_fb_vector(table, CHAIN_INSTRUCTIONS), index);
    const uint8_t tag = ets_fb_u8(instruction, INSTRUCTION_TAG, 0);
    *instruction_out = (struct ets_instruction){
        .kind = tag <= ETS_INSTRUCTION_FREE_CALL ? (enum ets_instruction_kind)tag
                                                 : ETS_INSTRUCTION_UNKNOWN,
        .tag = tag,
        .instruction_id = index,
        .chain_index = chain->index,
        .operator_index = -1,
        .delegate_index = -1,
        .destination = -1,
        .call_at = instruction.at,
        .program = program,
    };
    if (index < chain->trace_count) {
        const struct ets_fb frames = ets_fb_vector_table(ets_fb_vector(table, CHAIN_TRACES), index);
        const struct ets_fb_vector items = ets_fb_vector(frames, 0);
        instruction_out->frame_count = items.count;
        instruction_out->frames_at = items.at;
    }
    if (instruction_out->kind == ETS_INSTRUCTION_UNKNOWN) return;
    const struct ets_fb member = ets_fb_table(instruction, INSTRUCTION_MEMBER);
    instruction_out->call_at = member.at;
    if (instruction_out->kind <= ETS_INSTRUCTION_DELEGATE_CALL) {
        read_call(chain, member, instruction_out);
    } else {
        read_operands(member, instruction_out);
    }
}

uint32_t ets_instruction_argument(const struct ets_instruction *instruction, uint32_t index)
{
    if (instruction->arguments_at == 0) return instruction->operands[index & 1];
    return ets_load_u32(instruction->program->bytes.data + instruction->arguments_at +
                        4 * (size_t)index);
}

void ets_instruction_frame(const struct ets_instruction *instruction, uint32_t index,
                           struct ets_program_frame *frame_out)
{
    const struct ets_fb_vector frames = {instruction->program->bytes.data, instruction->frames_at,
                                         instruction->frame_count};
    const struct ets_fb frame = ets_fb_vector_table(frames, index);
    *frame_out = (struct ets_program_frame){
        .file_name = ets_fb_text(frame, FRAME_FILE),
        .name = ets_fb_text(frame, FRAME_NAME),
        .context = ets_fb_text(frame, FRAME_CONTEXT),
        .line = ets_fb_i32(frame, FRAME_LINE, 0),
    };
}

const char *ets_instruction_kind_name(enum ets_instruction_kind kind)
{
    switch (kind) {
    case ETS_INSTRUCTION_KERNEL_CALL: return "KernelCall";
    case ETS_INSTRUCTION_DELEGATE_CALL: return "DelegateCall";
    case ETS_INSTRUCTION_MOVE_CALL: return "MoveCall";
    case ETS_INSTRUCTION_JUMP_FALSE_CALL: return "JumpFalseCall";
    case ETS_INSTRUCTION_FREE_CALL: return "FreeCall";
    case ETS_INSTRUCTION_UNKNOWN: break;
    }
    return "unknown";
}
