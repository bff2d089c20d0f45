/* Limits memory and tables by the sizes of the inputs. */
#include "cli/core/bounds.h"

#include <stdio.h>

#include "cli/core/what_to_type.h"
#include "host/memory_budget.h"
#include "record/gzip.h"

/* Stated in SECURITY.md, beside what memory_budget.h has. */
#define TABLE_FLOOR ((uint64_t)256 << 20)
#define EVALUATION_FLOOR ((uint64_t)2 << 30)

static bool has_packed_input, is_evaluation_counted;

void cli_bounds_start(void)
{
    ets_memory_budget_start();
}

void cli_count_input(struct ets_bytes bytes)
{
    has_packed_input |= ets_is_gzip(bytes);
    ets_memory_budget_add(bytes.size);
}

bool cli_bounds_were_exceeded(char text[CLI_BOUND_CHARS])
{
    if (!ets_memory_budget_was_exceeded()) return false;
    const char *unpack = has_packed_input ? "; unpack the file with gunzip to raise the limit" : "";
    snprintf(text, CLI_BOUND_CHARS,
             "needs more than %llu MiB of memory, the limit for input files of %llu bytes%s",
             (unsigned long long)(ets_memory_budget_total() >> 20),
             (unsigned long long)ets_memory_budget_files(), unpack);
    return true;
}

uint64_t cli_evaluation_bytes(void)
{
    const uint64_t bound = ets_memory_bound_bytes(ets_memory_budget_files());
    const uint64_t of_files = bound - ets_memory_bound_bytes(0);
    /* The quarter of the budget that is not for allocations: values are allocations. */
    if (!is_evaluation_counted) ets_memory_budget_extend(EVALUATION_FLOOR + of_files / 4);
    is_evaluation_counted = true;
    return EVALUATION_FLOOR + of_files;
}

enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error)
{
    const enum ets_status status = ets_table_open(NULL, table_out, error);
    if (status != ETS_OK) return status;
    const uint64_t bound = ets_memory_bound_bytes(ets_memory_budget_files());
    ets_table_limit(*table_out, bound - ets_memory_bound_bytes(0) + TABLE_FLOOR);
    ets_table_set_words(*table_out, &cli_advice);
    return ETS_OK;
}
