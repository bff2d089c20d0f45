/* Imports any bytes as each form of LiteRT's profile, as a runner's log and as a table: what is
 * imported can be inspected. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ets_foreign_kind kinds[] = {
        ETS_FOREIGN_LITERT_CSV, ETS_FOREIGN_LITERT_PROTO, ETS_FOREIGN_LITERT_EVENTS,
        ETS_FOREIGN_RUNNER_LOG, ETS_FOREIGN_TABLE,        ETS_FOREIGN_TABLE_JSON,
        ETS_FOREIGN_TFLM_LOG,   ETS_FOREIGN_TABLE_LINES,  ETS_FOREIGN_TABLE_TEXT};
    fuzz_import(data, size, kinds, sizeof kinds / sizeof *kinds);
    return 0;
}
