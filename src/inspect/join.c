#include <stdbool.h>
#include <string.h>

#include "inspect/inspection.h"

/* Every node behind the row's handles, once, in the order of the handles. */
static enum ets_status find_nodes(struct ets_inspection *inspection,
                                  struct ets_known_method *method, struct ets_row *row,
                                  struct ets_error *error)
{
    struct ets_handle_index *index = &method->nodes;
    struct ets_row_node *found = NULL;
    for (int filling = 0; filling < 2; filling++) {
        size_t used = 0;
        ets_handle_index_start(index);
        for (size_t i = 0; i < row->handle_count; i++) {
            uint32_t count;
            const struct ets_row_node *nodes =
                ets_handle_index_find(index, row->handles[i], &count);
            if (!ets_handle_index_add(index, nodes, count)) continue;
            if (filling) memcpy(found + used, nodes, count * sizeof *found);
            used += count;
        }
        if (used == 0) return ETS_OK;
        if (!filling) found = ets_arena_alloc_array(&inspection->arena, used, sizeof *found);
        if (found == NULL) return ets_fail_memory(error);
        row->node_count = used;
    }
    row->nodes = found;
    return ETS_OK;
}

static void join_record(const struct ets_inspection *inspection,
                        const struct ets_known_method *method, struct ets_row *row)
{
    const struct ets_etrecord *record = inspection->options.record;
    const bool is_call = ets_text_is(row->name, "DELEGATE_CALL");
    if (row->is_delegated) {
        ets_etrecord_delegate_handles(record, method->name, row->instruction,
                                      row->name /* its identifier */, &row->handles,
                                      &row->handle_count);
    } else {
        ets_etrecord_handles(record, method->name, row->instruction, &row->handles,
                             &row->handle_count, NULL);
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
        const size_t size = instruction.name.size + instruction.overload.size + 2;
        char *name = ets_arena_alloc(&inspection->arena, size);
        if (name == NULL) return ets_fail_memory(error);
        const size_t used = ets_print_text(
            name, size, "%.*s%s%.*s", (int)instruction.name.size, instruction.name.data,
            instruction.overload.size > 0 ? "." : "", (int)instruction.overload.size,
            instruction.overload.size > 0 ? instruction.overload.data : "");
        row->kernel = (struct ets_text){name, used};
    } else if (instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL && row->backend == NULL) {
        row->backend =
            ets_arena_copy_text(&inspection->arena, instruction.name.data, instruction.name.size);
        if (row->backend == NULL) return ets_fail_memory(error);
    }
    return ETS_OK;
}

enum ets_status ets_rows_join(struct ets_inspection *inspection, struct ets_error *error)
{
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        struct ets_known_method *method = inspection->block_method[row->block];
        /* Framework events carry instruction 0 without belonging to it; maps know chain 0 alone. */
        if (method == NULL || row->chain != 0) continue;
        if (method->in_record) {
            join_record(inspection, method, row);
            ETS_TRY(find_nodes(inspection, method, row, error));
        }
        if (method->in_program) ETS_TRY(join_program(inspection, method, row, error));
    }
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        ETS_TRY(ets_rows_join_branches(inspection, i, error));
    }
    return ETS_OK;
}
