/* What the targets of imports share. */
#ifndef ETSCOPE_FUZZ_IMPORT_H
#define ETSCOPE_FUZZ_IMPORT_H

#include <stdint.h>
#include <stdlib.h>

#include "etscope/inspect.h"
#include "import/import.h"

static void fuzz_check(int condition)
{
    if (!condition) abort();
}

/* Times, parents and runs of what was imported are sound. */
static void fuzz_inspect_imported(const struct ets_imported *imported)
{
    struct ets_inspection *inspection;
    struct ets_error error;
    const struct ets_inspect_options options = {.record = NULL};
    uint32_t wrapped, backwards;
    const enum ets_status status =
        ets_inspection_open(imported->dump, &options, &inspection, &error);
    fuzz_check(status == ETS_OK);
    fuzz_check(ets_inspection_damage_total(inspection) == 0);
    fuzz_check(ets_inspection_run_count(inspection) == imported->run_count);
    fuzz_check(ets_inspection_events(inspection)->count == imported->event_count);
    ets_inspection_clock_faults(inspection, &wrapped, &backwards);
    fuzz_check(wrapped + backwards == 0);
    ets_inspection_close(inspection);
}

/* A replay takes all kinds, the fuzzer one, by the input's size. */
static void fuzz_import(const uint8_t *data, size_t size, const enum ets_foreign_kind *kinds,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
        if (size % count != i) continue;
#endif
        struct ets_imported imported;
        struct ets_error error = {.message = ""};
        const struct ets_bytes bytes = {data, size};
        (void)ets_foreign_sniff(bytes);
        const enum ets_status status = ets_import(bytes, kinds[i], NULL, &imported, &error);
        if (status == ETS_OK) {
            fuzz_inspect_imported(&imported);
        } else {
            fuzz_check(error.message[0] != '\0');
            fuzz_check(error.offset == ETS_NO_OFFSET || error.offset <= size);
        }
        ets_imported_reset(&imported);
    }
}

#endif
