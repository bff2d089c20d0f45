/* Counts what the allocator gave, and refuses what goes beyond the budget. */
#include "host/memory_budget.h"

/* Stated in SECURITY.md; of both, three quarters are for allocations. */
#define FLOOR ((uint64_t)512 << 20)
enum { BYTES_OF_A_BYTE = 256 };

static struct {
    bool is_started, was_exceeded, was_refused;
    uint64_t file_bytes, extra_bytes;
    int64_t taken_bytes; /* may be negative: blocks from before the start come back */
} budget;

uint64_t ets_memory_bound_bytes(uint64_t file_bytes)
{
    const uint64_t most = (UINT64_MAX - FLOOR) / BYTES_OF_A_BYTE;
    return FLOOR + BYTES_OF_A_BYTE * (file_bytes < most ? file_bytes : most);
}

void ets_memory_budget_start(void)
{
    budget.is_started = true;
    budget.was_exceeded = budget.was_refused = false;
    budget.file_bytes = budget.extra_bytes = 0;
    budget.taken_bytes = 0;
}

void ets_memory_budget_stop(void)
{
    budget.is_started = false;
}

void ets_memory_budget_add(uint64_t file_bytes)
{
    budget.file_bytes += file_bytes;
}

void ets_memory_budget_extend(uint64_t bytes)
{
    budget.extra_bytes += bytes;
}

uint64_t ets_memory_budget_files(void)
{
    return budget.file_bytes;
}

uint64_t ets_memory_budget_total(void)
{
    return ets_memory_bound_bytes(budget.file_bytes) / 4 * 3 + budget.extra_bytes;
}

bool ets_memory_budget_allows(size_t bytes)
{
    if (!budget.is_started) return true;
    const uint64_t total = ets_memory_budget_total();
    const uint64_t taken = budget.taken_bytes > 0 ? (uint64_t)budget.taken_bytes : 0;
    if (taken <= total && bytes <= total - taken) return true;
    budget.was_exceeded = true;
    return false;
}

void ets_memory_budget_count(int64_t bytes)
{
    if (budget.is_started) budget.taken_bytes += bytes;
}

bool ets_memory_budget_was_exceeded(void)
{
    return budget.is_started && budget.was_exceeded;
}

void ets_memory_note_refusal(void)
{
    budget.was_refused = true;
}

bool ets_memory_was_refused(void)
{
    return budget.is_started && budget.was_refused;
}
