/* Bounds what tables may hold by the sizes of the inputs. */
#include "cli/core/bounds.h"

/* Stated in SECURITY.md. */
#define FLOOR ((uint64_t)256 << 20)
enum { CELLS_OF_A_BYTE = 256 };

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
    const uint64_t most = (UINT64_MAX - FLOOR) / CELLS_OF_A_BYTE;
    const uint64_t counted = input_bytes < most ? input_bytes : most;
    ets_table_limit(*table_out, FLOOR + CELLS_OF_A_BYTE * counted);
    return ETS_OK;
}
