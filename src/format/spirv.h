/*
 * Walks through a SPIR-V module.
 *
 *     struct ets_spirv module;
 *     ETS_TRY(ets_spirv_init(&module, code, origin, error));
 *     struct ets_spirv_instruction instruction;
 *     for (uint32_t at = 0; ets_spirv_next(&module, &at, &instruction);) use(&instruction);
 *
 * Source: the SPIR-V specification; the numbers of SPV_ARM_tensors and SPV_ARM_graph. The memory of
 * the module is borrowed.
 */
#ifndef ETSCOPE_FORMAT_SPIRV_H
#define ETSCOPE_FORMAT_SPIRV_H

#include <stdbool.h>

#include "base/error.h"
#include "base/load.h"

enum ets_spirv_opcode {
    ETS_SPIRV_EXT_INST_IMPORT = 11,
    ETS_SPIRV_EXT_INST = 12,
    ETS_SPIRV_TYPE_BOOL = 20,
    ETS_SPIRV_TYPE_INT = 21,
    ETS_SPIRV_TYPE_FLOAT = 22,
    ETS_SPIRV_TYPE_ARRAY = 28,
    ETS_SPIRV_CONSTANT_TRUE = 41,
    ETS_SPIRV_CONSTANT_FALSE = 42,
    ETS_SPIRV_CONSTANT = 43,
    ETS_SPIRV_CONSTANT_COMPOSITE = 44,
    ETS_SPIRV_CONSTANT_NULL = 46,
    ETS_SPIRV_TYPE_TENSOR = 4163,
    ETS_SPIRV_GRAPH_CONSTANT = 4181,
    ETS_SPIRV_GRAPH_INPUT = 4184,
    ETS_SPIRV_GRAPH_SET_OUTPUT = 4185
};

struct ets_spirv {
    const uint8_t *code;
    uint32_t word_count;
    uint32_t bound; /* ids are below; at most word_count */
};

struct ets_spirv_instruction {
    uint32_t opcode;
    uint32_t at;    /* of the first operand */
    uint32_t count; /* of operands, in words */
};

/* Verifies that instructions fill the module. `origin` is added to offsets in errors. Statuses:
 * WRONG_KIND, TRUNCATED, MALFORMED. */
enum ets_status ets_spirv_init(struct ets_spirv *module, struct ets_bytes code, uint64_t origin,
                               struct ets_error *error);

static inline uint32_t ets_spirv_word(const struct ets_spirv *module, uint32_t at)
{
    return ets_load_u32(module->code + 4 * (size_t)at);
}

/* Operand `index` of an instruction; 0 where it has fewer. */
static inline uint32_t ets_spirv_operand(const struct ets_spirv *module,
                                         const struct ets_spirv_instruction *instruction,
                                         uint32_t index)
{
    return index < instruction->count ? ets_spirv_word(module, instruction->at + index) : 0;
}

/* *at begins at 0. false: that was the last. */
bool ets_spirv_next(const struct ets_spirv *module, uint32_t *at,
                    struct ets_spirv_instruction *out);

/* The instruction whose first word is at `at`. */
struct ets_spirv_instruction ets_spirv_at(const struct ets_spirv *module, uint32_t at);

/* The operand that is the id which the instruction defines; 0: of none of the above. */
uint32_t ets_spirv_result(const struct ets_spirv *module,
                          const struct ets_spirv_instruction *instruction);

/* The text that begins with operand `index`; empty: it has no end. */
struct ets_text ets_spirv_text(const struct ets_spirv *module,
                               const struct ets_spirv_instruction *instruction, uint32_t index);

#endif
