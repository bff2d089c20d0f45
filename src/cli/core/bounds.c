/* Limits the size of tables by the sizes of the inputs. */
#include "cli/core/bounds.h"

#include "cli/core/what_to_type.h"

/* Stated in SECURITY.md. */
#define FLOOR ((uint64_t)256 << 20)
#define EVALUATION_FLOOR ((uint64_t)2 << 30)
enum { CELLS_OF_A_BYTE = 256 };

/* Of all inputs of this process, which runs one command. */
static uint64_t input_bytes;

void cli_count_input(struct ets_bytes bytes)
{
    input_bytes += bytes.size;
}

static uint64_t bound(uint64_t floor)
{
    const uint64_t most = (UINT64_MAX - floor) / CELLS_OF_A_BYTE;
    return floor + CELLS_OF_A_BYTE * (input_bytes < most ? input_bytes : most);
}

uint64_t cli_evaluation_bytes(void)
{
    return bound(EVALUATION_FLOOR);
}

enum ets_status cli_table_open(struct ets_table **table_out, struct ets_error *error)
{
    const enum ets_status status = ets_table_open(NULL, table_out, error);
    if (status != ETS_OK) return status;
    ets_table_limit(*table_out, bound(FLOOR));
    ets_table_set_words(*table_out, &cli_advice);
    return ETS_OK;
}
