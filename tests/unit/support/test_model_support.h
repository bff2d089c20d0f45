/* A fixture's trace, joined with its record and program. */
#ifndef ETSCOPE_TEST_MODEL_SUPPORT_H
#define ETSCOPE_TEST_MODEL_SUPPORT_H

#include "test_inspect_support.h"

struct model {
    struct ets_file *dump, *record_file, *program_file;
    struct ets_etrecord *record;
    struct ets_program program;
    struct ets_inspection *inspection;
};

/* In place: the inspection borrows the program. */
static inline void open_model_trace(const char *name, const char *trace, struct model *m)
{
    *m = (struct model){.dump = open_fixture(name, trace)};
    m->record_file = open_fixture(name, "model.etrecord");
    m->record = open_record(ets_file_bytes(m->record_file));
    m->program_file = open_fixture(name, "model.pte");
    assert_int_equal(ets_program_init(&m->program, ets_file_bytes(m->program_file), NULL), ETS_OK);
    m->inspection =
        inspect(ets_file_bytes(m->dump),
                (struct ets_inspect_options){.record = m->record, .program = &m->program});
}

static inline void open_model(const char *name, struct model *m)
{
    open_model_trace(name, "profile.etdp", m);
}

static inline void close_model(struct model *m)
{
    ets_inspection_close(m->inspection);
    ets_etrecord_close(m->record);
    ets_file_close(m->program_file);
    ets_file_close(m->record_file);
    ets_file_close(m->dump);
}

#endif
