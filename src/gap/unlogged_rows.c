/* Makes rows for instructions that logged values but no event. */
#include "gap/unlogged_rows.h"

#include "inspect/inspection.h"
#include "record/record_maps.h"

bool ets_gap_value_is_of_instruction(const struct ets_captured_value *value)
{
    return !value->is_output && value->chain >= 0 && value->delegate_id < 0 &&
           value->delegate_name.size == 0;
}

/* All nodes with the row's handles, each once. */
static enum ets_status add_nodes(struct ets_gap_report *report,
                                 const struct ets_handle_index *index, struct ets_row *row,
                                 struct ets_error *error)
{
    struct ets_row_node *nodes = NULL;
    size_t count = 0;
    for (int counting = 1; counting >= 0; counting--) {
        struct ets_key_table seen;
        count = 0;
        ets_key_table_init(&seen, &report->arena, 1);
        for (size_t i = 0; i < row->handle_count; i++) {
            const uint64_t key = (uint64_t)row->handles[i];
            const uint32_t known = seen.count;
            uint32_t found_count;
            if (ets_key_table_add(&seen, &key) == ETS_KEY_NONE) return gap_fail_memory(error);
            if (seen.count == known) continue;
            const struct ets_row_node *found =
                ets_handle_index_find(index, row->handles[i], &found_count);
            for (uint32_t k = 0; k < found_count; k++, count++) {
                if (!counting) nodes[count] = found[k];
            }
        }
        if (!counting || count == 0) break;
        nodes = ets_arena_alloc_array(&report->arena, count, sizeof *nodes);
        if (nodes == NULL) return gap_fail_memory(error);
    }
    ets_row_set_nodes(row, nodes, count);
    return ETS_OK;
}

enum ets_status ets_gap_unlogged_row(struct ets_gap_report *report,
                                     const struct ets_captured_value *value,
                                     const struct ets_row **row_out, struct ets_error *error)
{
    const struct ets_known_method *method = report->options.inspection->block_method[report->block];
    const int64_t number = value->instruction;
    struct ets_instruction instruction;
    *row_out = NULL;
    if (value->chain != 0 || method == NULL || !method->in_program || !method->in_record ||
        number < 0 || number >= method->chain.instruction_count) {
        return ETS_OK;
    }
    ets_chain_instruction(&method->chain, (uint32_t)number, &instruction);
    const bool is_call = instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL;
    if (!is_call && instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) return ETS_OK;
    struct ets_row *row = ets_arena_alloc(&report->arena, sizeof *row);
    if (row == NULL) return gap_fail_memory(error);
    *row = (struct ets_row){.block = report->block,
                            .parent = ETS_NO_INDEX,
                            .instruction = value->instruction,
                            .delegate_id = -1,
                            .unit = ETS_NO_INDEX};
    if (is_call) {
        row->name = (struct ets_text){"DELEGATE_CALL", 13};
        row->backend = ets_etrecord_backend(report->options.record, report->method, number);
    } else {
        row->name = (struct ets_text){"OPERATOR_CALL", 13};
        ETS_TRY(ets_operator_name(&report->arena, &instruction, &row->kernel, error));
    }
    ets_etrecord_call_handles(report->options.record, report->method, number, &row->handles,
                              &row->handle_count);
    *row_out = row;
    return add_nodes(report, &method->nodes, row, error);
}
