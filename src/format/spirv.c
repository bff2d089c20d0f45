/* Walks through a SPIR-V module. */
#include "format/spirv.h"

#include <string.h>

enum { HEADER_WORDS = 5, BOUND_AT = 3 };

enum ets_status ets_spirv_init(struct ets_spirv *module, struct ets_bytes code, uint64_t origin,
                               struct ets_error *error)
{
    static const uint32_t magic = 0x07230203;
    *module = (struct ets_spirv){.code = code.data};
    if (code.size < 4 * HEADER_WORDS || ets_load_u32(code.data) != magic) {
        return ets_fail(error, ETS_WRONG_KIND, origin, "is no SPIR-V module");
    }
    if (code.size / 4 > UINT32_MAX) {
        return ets_fail(error, ETS_LIMIT, origin, "a SPIR-V module of %zu bytes", code.size);
    }
    module->word_count = (uint32_t)(code.size / 4);
    module->bound = ets_spirv_word(module, BOUND_AT);
    if (module->bound > module->word_count) { /* each id needs an instruction */
        return ets_fail(error, ETS_MALFORMED, origin + 4 * BOUND_AT,
                        "%u ids in a SPIR-V module of %u words", module->bound, module->word_count);
    }
    for (uint32_t at = HEADER_WORDS; at < module->word_count;) {
        const uint32_t words = ets_spirv_word(module, at) >> 16;
        if (words == 0 || words > module->word_count - at) {
            return ets_fail(error, words == 0 ? ETS_MALFORMED : ETS_TRUNCATED,
                            origin + 4 * (uint64_t)at, "SPIR-V instruction of %u words", words);
        }
        at += words;
    }
    return ETS_OK;
}

struct ets_spirv_instruction ets_spirv_at(const struct ets_spirv *module, uint32_t at)
{
    const uint32_t word = ets_spirv_word(module, at);
    return (struct ets_spirv_instruction){word & 0xffff, at + 1, (word >> 16) - 1};
}

bool ets_spirv_next(const struct ets_spirv *module, uint32_t *at, struct ets_spirv_instruction *out)
{
    if (*at < HEADER_WORDS) *at = HEADER_WORDS;
    if (*at >= module->word_count) return false;
    *out = ets_spirv_at(module, *at);
    *at = out->at + out->count;
    return true;
}

uint32_t ets_spirv_result(const struct ets_spirv *module,
                          const struct ets_spirv_instruction *instruction)
{
    switch (instruction->opcode) {
    case ETS_SPIRV_EXT_INST_IMPORT:
    case ETS_SPIRV_TYPE_BOOL:
    case ETS_SPIRV_TYPE_INT:
    case ETS_SPIRV_TYPE_FLOAT:
    case ETS_SPIRV_TYPE_ARRAY:
    case ETS_SPIRV_TYPE_TENSOR: return ets_spirv_operand(module, instruction, 0);
    case ETS_SPIRV_EXT_INST:
    case ETS_SPIRV_CONSTANT_TRUE:
    case ETS_SPIRV_CONSTANT_FALSE:
    case ETS_SPIRV_CONSTANT:
    case ETS_SPIRV_CONSTANT_COMPOSITE:
    case ETS_SPIRV_CONSTANT_NULL:
    case ETS_SPIRV_GRAPH_CONSTANT:
    case ETS_SPIRV_GRAPH_INPUT: return ets_spirv_operand(module, instruction, 1);
    default: return 0;
    }
}

struct ets_text ets_spirv_text(const struct ets_spirv *module,
                               const struct ets_spirv_instruction *instruction, uint32_t index)
{
    if (index >= instruction->count) return (struct ets_text){"", 0};
    const char *text = (const char *)module->code + 4 * ((size_t)instruction->at + index);
    const char *end = memchr(text, '\0', 4 * (size_t)(instruction->count - index));
    if (end == NULL) return (struct ets_text){"", 0};
    return (struct ets_text){text, (size_t)(end - text)};
}
