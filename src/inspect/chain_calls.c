/* Reads calls in a program's chain: the name of a kernel, the payload of a delegate. */
#include "inspect/inspection.h"

enum ets_status ets_operator_name(struct ets_arena *arena,
                                  const struct ets_instruction *instruction,
                                  struct ets_text *name_out, struct ets_error *error)
{
    const size_t size = instruction->name.size + instruction->overload.size + 2;
    const bool has_overload = instruction->overload.size > 0;
    char *name = ets_arena_alloc(arena, size);
    if (name == NULL) return ets_fail_memory(error, "an operator's name");
    const size_t used = ets_print_text(name, size, "%.*s%s%.*s", ETS_TEXT(instruction->name),
                                       has_overload ? "." : "", (int)instruction->overload.size,
                                       has_overload ? instruction->overload.data : "");
    *name_out = (struct ets_text){name, used};
    return ETS_OK;
}

struct ets_bytes ets_payload_of(const struct ets_chain *chain, int64_t instruction)
{
    const struct ets_bytes none = {NULL, 0};
    if (instruction < 0 || instruction >= (int64_t)chain->instruction_count) return none;
    struct ets_instruction call;
    ets_chain_instruction(chain, (uint32_t)instruction, &call);
    if (call.kind != ETS_INSTRUCTION_DELEGATE_CALL) return none;
    struct ets_delegate delegate;
    ets_method_delegate(&chain->method, (uint32_t)call.delegate_index, &delegate);
    return delegate.blob;
}
