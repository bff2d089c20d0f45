/* What the tests of the recorder share: a scripted clock, a bed for a trace, its dump read back. */
#ifndef ETSCOPE_TESTS_UNIT_TEST_RECORDER_SUPPORT_H
#define ETSCOPE_TESTS_UNIT_TEST_RECORDER_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etscope/etdump.h"
#include "etscope/experimental/device_log.h"
#include "etscope/trace_extra.h"

/* Each reading is one step further. */
struct script {
    uint64_t now, step;
};

static inline uint64_t read_script(void *context)
{
    struct script *script = context;
    return script->now += script->step;
}

struct bed {
    struct script script;
    struct ets_trace_config config;
    struct ets_trace trace;
    struct ets_trace_thread thread;
    uint8_t *buffer, *file;
    size_t file_bytes;
    struct ets_etdump dump; /* without the run that says that it was cut */
    bool is_cut;
    struct ets_trace_extra extra;
};

/* A config whose clock is the script and whose buffer has `bytes`. */
static inline void bed_prepare(struct bed *bed, size_t bytes)
{
    memset(bed, 0, sizeof *bed);
    bed->script = (struct script){1000, 10};
    bed->buffer = malloc(bytes == 0 ? 1 : bytes);
    assert_non_null(bed->buffer);
    memset(bed->buffer, 0xa5, bytes);
    bed->config = (struct ets_trace_config){.buffer = bed->buffer,
                                            .buffer_bytes = bytes,
                                            .clock = read_script,
                                            .clock_context = &bed->script,
                                            .what = 0xff};
}

static inline enum ets_status bed_start(struct bed *bed)
{
    const enum ets_status status = ets_trace_init(&bed->trace, &bed->config);
    ets_trace_thread_init(&bed->thread, &bed->trace);
    return status;
}

static inline void bed_open(struct bed *bed, size_t bytes)
{
    bed_prepare(bed, bytes);
    assert_int_equal(bed_start(bed), ETS_OK);
}

static inline bool is_cut_run(const struct ets_etdump *dump, uint32_t index)
{
    struct ets_etdump_run run;
    ets_etdump_run(dump, index, &run);
    return run.name.size == strlen(ETS_TRACE_CUT_NAME) &&
           memcmp(run.name.data, ETS_TRACE_CUT_NAME, run.name.size) == 0;
}

/* Takes off the run that says that the dump was cut; 1 where there was one. */
static inline bool strip_cut_run(struct ets_etdump *dump)
{
    const bool is_cut = dump->run_count > 0 && is_cut_run(dump, dump->run_count - 1);
    if (is_cut) dump->run_count--;
    return is_cut;
}

/* Writes the dump and opens it with the readers. */
static inline void bed_dump(struct bed *bed)
{
    struct ets_error error = {0};
    size_t size = 0;
    free(bed->file);
    if (ets_trace_dump_size(&bed->trace, &size, &error) != ETS_OK) fail_msg("%s", error.message);
    bed->file = malloc(size);
    assert_non_null(bed->file);
    if (ets_trace_write_buffer(&bed->trace, bed->file, size, &bed->file_bytes, &error) != ETS_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(bed->file_bytes, size);
    const struct ets_bytes bytes = {bed->file, size};
    if (ets_etdump_init(&bed->dump, bytes, &error) != ETS_OK) fail_msg("%s", error.message);
    if (ets_trace_extra_init(&bed->extra, bytes, &error) != ETS_OK) fail_msg("%s", error.message);
    assert_true(bed->dump.is_size_prefixed);
    bed->is_cut = strip_cut_run(&bed->dump);
    const uint32_t prefix = (uint32_t)bed->file[0] | (uint32_t)bed->file[1] << 8 |
                            (uint32_t)bed->file[2] << 16 | (uint32_t)bed->file[3] << 24;
    assert_int_equal(prefix, size - 4);
}

static inline void bed_close(struct bed *bed)
{
    free(bed->buffer);
    free(bed->file);
}

static inline struct ets_trace_state bed_state(const struct bed *bed)
{
    struct ets_trace_state state;
    ets_trace_get_state(&bed->trace, &state);
    return state;
}

static inline struct ets_etdump_run bed_run(const struct bed *bed, uint32_t index)
{
    struct ets_etdump_run run;
    assert_true(index < bed->dump.run_count);
    ets_etdump_run(&bed->dump, index, &run);
    return run;
}

static inline struct ets_etdump_event bed_event(const struct bed *bed, uint32_t run, uint32_t index)
{
    struct ets_etdump_event event;
    const struct ets_etdump_run of = bed_run(bed, run);
    assert_true(index < of.event_count);
    ets_etdump_event(&bed->dump, &of, index, &event);
    return event;
}

static inline void assert_text(struct ets_text text, const char *wanted)
{
    if (wanted == NULL) {
        assert_null(text.data);
        return;
    }
    assert_non_null(text.data);
    assert_int_equal(text.size, strlen(wanted));
    assert_memory_equal(text.data, wanted, text.size);
}

static inline void record_one(struct bed *bed, const char *name, uint32_t instruction)
{
    ets_trace_set_instruction(&bed->thread, 0, instruction);
    ets_trace_end(&bed->thread, ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, name));
    ets_trace_set_instruction(&bed->thread, -1, 0);
}

static inline uint32_t count_events(const struct bed *bed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < bed->dump.run_count; i++) count += bed_run(bed, i).event_count;
    return count;
}

static inline uint32_t count_extra_tensors(const struct bed *bed)
{
    struct ets_trace_extra_tensor tensor;
    uint32_t count = 0;
    for (size_t at = 0; ets_trace_extra_next_tensor(&bed->extra, &at, &tensor);) count++;
    return count;
}

static inline uint32_t count_extra_strings(const struct bed *bed)
{
    struct ets_trace_extra_string string;
    uint32_t count = 0;
    for (size_t at = 0; ets_trace_extra_next_string(&bed->extra, &at, &string);) count++;
    return count;
}

/* All that a dump has: events, and debug values of the extra block. */
static inline uint32_t count_kept(const struct bed *bed)
{
    return count_events(bed) + count_extra_tensors(bed) + count_extra_strings(bed);
}

#endif
