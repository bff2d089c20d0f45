/* Imports any bytes as a profile in JSON, of each runtime: what is imported can be inspected. */
#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum ets_foreign_kind kinds[] = {ETS_FOREIGN_ONNX, ETS_FOREIGN_PYTORCH,
                                                  ETS_FOREIGN_CHROME};
    fuzz_import(data, size, kinds, sizeof kinds / sizeof *kinds);
    return 0;
}
