#include "bounds.h"

/* Stated in SECURITY.md. */
#define TEXT_FLOOR ((uint64_t)64 << 20)
enum { TEXT_OF_A_BYTE = 256 };

/* Of all inputs of this process, which runs one command. */
static uint64_t input_bytes;

void cli_count_input(struct ets_bytes bytes)
{
    input_bytes += bytes.size;
}

enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error)
{
    const enum ets_status status = ets_table_open(NULL, table_out, error);
    if (status != ETS_OK) return status;
    const uint64_t most = (UINT64_MAX - TEXT_FLOOR) / TEXT_OF_A_BYTE;
    const uint64_t counted = input_bytes < most ? input_bytes : most;
    ets_table_limit_text(*table_out, TEXT_FLOOR + TEXT_OF_A_BYTE * counted);
    return ETS_OK;
}
