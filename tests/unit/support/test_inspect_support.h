/* What the tests of inspections share: fixtures, dumps made from a few lines, failing allocators.
 */
#ifndef ETSCOPE_TESTS_INSPECT_SUPPORT_H
#define ETSCOPE_TESTS_INSPECT_SUPPORT_H

#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "etscope/etdump.h"
#include "etscope/inspect.h"
#include "host/output.h"
#include "output/table/table.h"
#include "test_faults_support.h"
#include "test_files_support.h"
#include "trace/etdump_writer.h"

static inline struct ets_inspection *inspect(struct ets_bytes dump,
                                             struct ets_inspect_options options)
{
    struct ets_inspection *inspection = NULL;
    struct ets_error error = {.status = ETS_OK};
    if (ets_inspection_open(dump, &options, &inspection, &error) != ETS_OK) {
        print_error("%s at %llu\n", error.message, (unsigned long long)error.offset);
        fail();
    }
    return inspection;
}

static inline void assert_text(struct ets_text text, const char *expected)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data == NULL ? "" : text.data);
    assert_string_equal(copy, expected);
    assert_int_equal(text.size, strlen(expected));
}

/* An event of a dump being made; names may be NULL. */
struct made_event {
    enum ets_event_kind kind;
    const char *name, *delegate_name;
    int64_t chain;
    int32_t instruction, delegate_id;
    uint64_t start, end; /* ALLOCATION: the allocator's number, bytes; DEBUG: an integer, unused */
};

#define FRAMEWORK(name, start, end)                          \
    {                                                        \
        ETS_EVENT_PROFILE, name, NULL, -1, 0, -1, start, end \
    }
#define CALL(name, instruction, start, end)                           \
    {                                                                 \
        ETS_EVENT_PROFILE, name, NULL, 0, instruction, -1, start, end \
    }
#define DELEGATE(name, instruction, start, end)                       \
    {                                                                 \
        ETS_EVENT_PROFILE, NULL, name, 0, instruction, -1, start, end \
    }
#define DELEGATE_ID(id, instruction, start, end)                      \
    {                                                                 \
        ETS_EVENT_PROFILE, NULL, NULL, 0, instruction, id, start, end \
    }
#define ALLOCATION(allocator, bytes)                                  \
    {                                                                 \
        ETS_EVENT_ALLOCATION, NULL, NULL, -1, 0, -1, allocator, bytes \
    }
#define LOGGED(instruction, value)                                \
    {                                                             \
        ETS_EVENT_DEBUG, NULL, NULL, 0, instruction, -1, value, 0 \
    }

struct made_run {
    const char *name;
    int32_t test_case; /* -1: none */
    const struct made_event *events;
    uint32_t event_count;
    uint32_t allocator_count;
};

/* The writer's source of made runs. */
struct made_source {
    const struct made_run *runs;
    struct ets_etdump_name names[64];
    uint32_t name_count;
};

static inline uint32_t made_name(struct made_source *made, const char *name)
{
    if (name == NULL) return ETS_ETDUMP_NO_NAME;
    const size_t size = strlen(name);
    for (uint32_t i = 0; i < made->name_count; i++) {
        const struct ets_text known = made->names[i].text;
        if (known.size == size && memcmp(known.data, name, size) == 0) return i;
    }
    assert_true(made->name_count < COUNT(made->names));
    made->names[made->name_count] = (struct ets_etdump_name){{name, size}, 0};
    return made->name_count++;
}

static inline enum ets_status made_run(void *context, uint32_t run,
                                       struct ets_etdump_run_record *out)
{
    struct made_source *made = context;
    out->name = made_name(made, made->runs[run].name);
    out->bundled_input_index = made->runs[run].test_case;
    out->event_count = made->runs[run].event_count;
    out->allocator_count = made->runs[run].allocator_count;
    return ETS_OK;
}

static inline enum ets_status made_event(void *context, uint32_t run, uint32_t index,
                                         struct ets_etdump_record *out)
{
    struct made_source *made = context;
    const struct made_event *event = &made->runs[run].events[index];
    out->kind = event->kind;
    out->name = made_name(made, event->name);
    out->chain = event->chain;
    out->instruction = event->instruction;
    out->delegate_id = event->delegate_id;
    out->delegate_name = made_name(made, event->delegate_name);
    out->start_ticks = event->start;
    out->end_ticks = event->end;
    out->allocator = (int32_t)event->start;
    out->allocated_bytes = event->end;
    out->value_type = ETS_DEBUG_INT;
    out->int_value = (int64_t)event->start;
    return ETS_OK;
}

static inline enum ets_status made_allocator(void *context, uint32_t run, uint32_t index,
                                             uint32_t *name_out)
{
    (void)run;
    (void)index;
    *name_out = made_name(context, "planned");
    return ETS_OK;
}

/* A dump in a heap block of its exact size, the caller's to free. */
static inline struct ets_bytes make_dump(const struct made_run *runs, uint32_t run_count)
{
    struct made_source made = {.runs = runs};
    for (uint32_t r = 0; r < run_count; r++) { /* the writer wants to know how many names */
        struct ets_etdump_run_record run;
        struct ets_etdump_record event;
        uint32_t name;
        made_run(&made, r, &run);
        if (runs[r].allocator_count > 0) made_allocator(&made, r, 0, &name);
        for (uint32_t e = 0; e < runs[r].event_count; e++) made_event(&made, r, e, &event);
    }
    const struct ets_etdump_source source = {.context = &made,
                                             .names = made.names,
                                             .name_count = made.name_count,
                                             .run_count = run_count,
                                             .run = made_run,
                                             .event = made_event,
                                             .allocator = made_allocator};
    size_t size;
    struct ets_error error = {.status = ETS_OK};
    const enum ets_status status = ets_etdump_writer_size(&source, &size, &error);
    if (status != ETS_OK) print_error("%s\n", error.message);
    assert_int_equal(status, ETS_OK);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    assert_int_equal(ets_etdump_write_buffer(&source, data, size, &size, &error), ETS_OK);
    return (struct ets_bytes){data, size};
}

/* An inspection of made runs, and what it borrows. */
struct made {
    struct ets_bytes dump;
    struct ets_inspection *inspection;
};

static inline struct made inspect_runs(const struct made_run *runs, uint32_t count,
                                       struct ets_inspect_options options)
{
    struct made made = {.dump = make_dump(runs, count)};
    made.inspection = inspect(made.dump, options);
    return made;
}

static inline void made_close(struct made *made)
{
    ets_inspection_close(made->inspection);
    free((void *)(uintptr_t)made->dump.data);
}

/* The row of `block` named `name`, or NULL. */
static inline const struct ets_row *find_row(const struct ets_inspection *inspection,
                                             uint32_t block, const char *name)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    for (uint32_t i = b->first_row; i < b->first_row + b->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->name.size == strlen(name) && memcmp(row->name.data, name, row->name.size) == 0) {
            return row;
        }
    }
    return NULL;
}

/* What a table prints, terminated, the caller's to free. */
static inline char *print_table(const struct ets_table *table, struct ets_table_style style)
{
    char path[] = "/tmp/etscope_table.XXXXXX";
    struct ets_output *output;
    struct ets_file *file;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    assert_int_equal(ets_table_write(table, &style, output, NULL), ETS_OK);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    const struct ets_bytes bytes = ets_file_bytes(file);
    char *text = malloc(bytes.size + 1);
    assert_non_null(text);
    if (bytes.size > 0) memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    ets_file_close(file);
    unlink(path);
    return text;
}

#endif
