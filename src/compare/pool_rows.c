/* Describes a delegate's row as it would be on a processor without 16-bit floats. */
#include "compare/pool_parts.h"
#include "payload/payload_store.h"

bool ets_pool_row_is_added(const struct ets_row *row)
{
    return row->is_delegated && row->tie == ETS_TIE_NEAR && row->unit == ETS_NO_INDEX &&
           row->payload_node_count == 0;
}

/* Whether the payload node of an event that a payload foretells is unknown. */
static bool is_undecided(const struct ets_row *row)
{
    const bool is_foretold =
        row->backend == NULL ||
        ets_payload_knowledge(ets_text_of(row->backend)) == ETS_PAYLOAD_FORETOLD;
    return row->is_delegated && is_foretold && row->payload_node_count == 0;
}

bool ets_pool_row_may_be_added(const struct ets_row *row)
{
    return ets_pool_row_is_added(row) ||
           (is_undecided(row) && ets_text_starts_with(row->operation, "Convert (NC)"));
}

bool ets_pool_row_without_width(struct ets_arena *arena, const struct ets_row *row,
                                struct ets_text *text_out)
{
    *text_out = row->operation;
    if (!is_undecided(row) || row->operation.size == 0) return true;
    const struct ets_text name = row->operation;
    char *text = ets_arena_copy_text(arena, name.data, name.size);
    if (text == NULL) return false;
    size_t size = name.size;
    while (size > 0 && text[size - 1] >= '0' && text[size - 1] <= '9') size--; /* of " #1" */
    for (size_t i = 0; i + 3 <= size; i++) {
        if (memcmp(text + i, "F16", 3) == 0) memcpy(text + i, "F32", 3);
    }
    *text_out = (struct ets_text){text, size};
    return true;
}
