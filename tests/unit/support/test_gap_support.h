/* What the tests of what is shown of a gap share: a report of a fixture. */
#ifndef ETSCOPE_TESTS_GAP_SUPPORT_H
#define ETSCOPE_TESTS_GAP_SUPPORT_H

#include "test_inspect_support.h"
#include "test_record_support.h"

#include "etscope/experimental/gap.h"

/* Another trace is the reference: nothing is evaluated, so that no engine is needed. */
struct errors {
    struct ets_file *dump, *buffer, *record_file;
    struct ets_etrecord *record;
    struct ets_inspection *inspection;
    struct ets_gap_report *report, *same;
};

static inline void open_errors(const char *model, struct errors *e)
{
    e->dump = open_fixture(model, "debug.etdp");
    e->buffer = open_fixture(model, "debug.bin");
    e->record_file = open_fixture(model, "model.etrecord");
    e->record = open_record(ets_file_bytes(e->record_file));
    e->inspection =
        inspect(ets_file_bytes(e->dump), (struct ets_inspect_options){.record = e->record});
    const struct ets_gap_options options = {.inspection = e->inspection,
                                            .record = e->record,
                                            .debug_buffer = ets_file_bytes(e->buffer),
                                            .run = ETS_NO_INDEX};
    assert_int_equal(ets_gap_open(&options, &e->report, NULL), ETS_OK);
    assert_int_equal(ets_gap_open(&options, &e->same, NULL), ETS_OK);
    assert_int_equal(ets_gap_compare_report(e->report, e->same, NULL), ETS_OK);
}

static inline void close_errors(struct errors *e)
{
    ets_gap_close(e->same);
    ets_gap_close(e->report);
    ets_inspection_close(e->inspection);
    ets_etrecord_close(e->record);
    ets_file_close(e->record_file);
    ets_file_close(e->buffer);
    ets_file_close(e->dump);
}

#endif
