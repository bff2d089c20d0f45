/* Whether a record's maps are those of a program's instructions. */
#include "base/error.h"
#include "base/text.h"
#include "record/record_maps.h"

static const char prefix[] = "the ETRecord does not belong to this program: ";

enum ets_status ets_etrecord_check_size(const struct ets_etrecord *record, const char *method,
                                        const struct ets_chain *chain, struct ets_error *error)
{
    const int64_t *mapped;
    size_t count;
    ets_etrecord_mapped_instructions(record, method, &mapped, &count);
    if (count == 0 || mapped[count - 1] < (int64_t)chain->instruction_count) return ETS_OK;
    return ets_fail(
        error, ETS_MISMATCH, ETS_NO_OFFSET,
        "%s%s has instruction %lld in the record, but only %u instructions in the program", prefix,
        method, (long long)mapped[count - 1], chain->instruction_count);
}

enum ets_status ets_etrecord_check_backend(const struct ets_etrecord *record, const char *method,
                                           const struct ets_instruction *instruction,
                                           struct ets_error *error)
{
    if (!ets_etrecord_has_delegate_map(record, method)) return ETS_OK;
    const char *backend = ets_etrecord_backend(record, method, instruction->instruction_id);
    const bool is_call = instruction->kind == ETS_INSTRUCTION_DELEGATE_CALL;
    if (is_call ? backend != NULL && ets_text_is(instruction->name, backend) : backend == NULL) {
        return ETS_OK;
    }
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "%sinstruction %u of %s %s%s in the record, but %s%.*s in the program", prefix,
                    instruction->instruction_id, method, backend != NULL ? "calls " : "is no call",
                    backend != NULL ? backend : " of a delegate",
                    is_call ? "calls " : "is no call of a delegate",
                    is_call ? (int)instruction->name.size : 0, instruction->name.data);
}

enum ets_status ets_etrecord_check_chain(const struct ets_etrecord *record, const char *method,
                                         const struct ets_chain *chain, struct ets_error *error)
{
    ETS_TRY(ets_etrecord_check_size(record, method, chain, error));
    for (uint32_t i = 0; i < chain->instruction_count; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(chain, i, &instruction);
        ETS_TRY(ets_etrecord_check_backend(record, method, &instruction, error));
    }
    return ETS_OK;
}
