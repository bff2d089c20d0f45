/* Joins rows to the record and the program: handles, nodes, backends and kernels. */
#include <stdbool.h>

#include "inspect/inspection.h"
#include "record/etrecord_internal.h"
#include "record/record_maps.h"

static void join_record(const struct ets_inspection *inspection,
                        const struct ets_known_method *method, struct ets_row *row)
{
    const struct ets_etrecord *record = inspection->options.record;
    const bool is_call = ets_text_is(row->name, "DELEGATE_CALL");
    if (!row->is_delegated) {
        row->is_inferred = ets_etrecord_call_handles(record, method->name, row->instruction,
                                                     &row->handles, &row->handle_count);
    }
    if (row->is_delegated || is_call) {
        row->backend = ets_etrecord_backend(record, method->name, row->instruction);
    }
}

static enum ets_status join_program(struct ets_inspection *inspection,
                                    const struct ets_known_method *method, struct ets_row *row,
                                    struct ets_error *error)
{
    if (row->instruction < 0 || (uint32_t)row->instruction >= method->chain.instruction_count) {
        return ETS_OK;
    }
    struct ets_instruction instruction;
    ets_chain_instruction(&method->chain, (uint32_t)row->instruction, &instruction);
    if (instruction.kind == ETS_INSTRUCTION_KERNEL_CALL) {
        return ets_operator_name(&inspection->arena, &instruction, &row->kernel, error);
    }
    if (instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL && row->backend == NULL) {
        row->backend =
            ets_arena_copy_text(&inspection->arena, instruction.name.data, instruction.name.size);
        if (row->backend == NULL) return ets_fail_memory(error, "a backend's name");
    }
    return ETS_OK;
}

/* Rows of another runtime's profile have the node that the trace tells. */
static void join_told(struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        const struct ets_stated_node *told =
            ets_stated_node_at(&inspection->told, row->chain, row->instruction);
        if (told == NULL || row->node_count > 0 || row->is_delegated) continue;
        ets_row_set_nodes(row, &told->of_row, 1);
        if (row->backend == NULL) row->backend = told->backend;
    }
}

enum ets_status ets_rows_join(struct ets_inspection *inspection, struct ets_error *error)
{
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        struct ets_known_method *method = inspection->block_method[row->block];
        /* Framework events have instruction 0 without belonging to it; maps have only chain 0. */
        if (method == NULL || row->chain != 0) continue;
        if (method->in_record) join_record(inspection, method, row);
        if (method->in_program) ETS_TRY(join_program(inspection, method, row, error));
    }
    ETS_TRY(ets_rows_read_identifiers(inspection, error));
    ETS_TRY(ets_rows_tie_delegates(inspection, error));
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        struct ets_known_method *method = inspection->block_method[row->block];
        if (method == NULL || !method->in_record || row->chain != 0) continue;
        struct ets_node_list list;
        const enum ets_status status = ets_handle_index_list(
            &inspection->arena, &method->nodes, row->handles, row->handle_count, &list, error);
        if (status == ETS_LIMIT) {
            return ets_etrecord_blame(inspection->options.record, status, error);
        }
        ETS_TRY(status);
        ets_row_set_nodes(row, list.nodes, list.count);
    }
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        ETS_TRY(ets_rows_share_handles(inspection, i, error));
        ETS_TRY(ets_rows_join_branches(inspection, i, error));
    }
    join_told(inspection);
    return ETS_OK;
}
