/* The event table as an Arrow stream: columns, ownership, failing memory. */
#include "test_inspect_support.h"

#include "etscope/experimental/arrow.h"

static const struct ArrowArray *column(const struct ArrowSchema *schema,
                                       const struct ArrowArray *batch, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (strcmp(schema->children[i]->name, name) == 0) return batch->children[i];
    }
    fail_msg("no column %s", name);
    return NULL;
}

static const char *text_at(const struct ArrowArray *array, int64_t at)
{
    static char copy[128];
    const uint8_t *validity = array->buffers[0];
    if ((validity[at / 8] >> at % 8 & 1) == 0) return NULL;
    const uint32_t index = ((const uint32_t *)array->buffers[1])[at];
    const int32_t *offsets = array->dictionary->buffers[1];
    snprintf(copy, sizeof copy, "%.*s", (int)(offsets[index + 1] - offsets[index]),
             (const char *)array->dictionary->buffers[2] + offsets[index]);
    return copy;
}

static void test_arrow_stream__one_row_for_each_event(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("native_call_add.out", 3, 10, 25),
        DELEGATE("so\xffmax", 4, 30, 31),
    };
    const struct made_run runs[] = {{.name = "Execute", .events = events, .event_count = 2}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch, end;
    assert_int_equal(ets_arrow_events(made.inspection, NULL, &stream, NULL), ETS_OK);
    made_close(&made); /* what the stream has is its own */
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    assert_null(stream.release);

    assert_int_equal(batch.length, 2);
    assert_int_equal(batch.n_children, schema.n_children);
    assert_string_equal(text_at(column(&schema, &batch, "name"), 0), "native_call_add.out");
    assert_null(text_at(column(&schema, &batch, "name"), 1));
    assert_string_equal(text_at(column(&schema, &batch, "delegate_name"), 1), "so\xef\xbf\xbdmax");
    assert_string_equal(text_at(column(&schema, &batch, "kind"), 1), "profile");
    assert_string_equal(text_at(column(&schema, &batch, "operation"), 0), "native_call_add.out");
    assert_int_equal(column(&schema, &batch, "metadata")->null_count,
                     1); /* nothing is attached, but said */
    const struct ArrowArray *ticks = column(&schema, &batch, "ticks");
    assert_int_equal(((const uint64_t *)ticks->buffers[1])[0], 15);
    assert_int_equal(ticks->null_count, 0);
    assert_int_equal(column(&schema, &batch, "file")->null_count, 2);
    const struct ArrowArray *instruction = column(&schema, &batch, "instruction");
    assert_int_equal(((const int32_t *)instruction->buffers[1])[1], 4);
    batch.release(&batch);
    schema.release(&schema);
}

static void test_arrow_stream__a_column_outlives_the_batch(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, 1, 2)};
    const struct made_run runs[] = {{.name = "Execute", .events = events, .event_count = 1}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    assert_int_equal(ets_arrow_events(made.inspection, NULL, &stream, NULL), ETS_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    struct ArrowArray *name = (struct ArrowArray *)(uintptr_t)column(&schema, &batch, "name");
    struct ArrowArray kept = *name; /* moved, as the interface defines it */
    name->release = NULL;
    batch.release(&batch);
    stream.release(&stream);
    made_close(&made);
    assert_string_equal(text_at(&kept, 0), "a");
    kept.release(&kept);
    assert_null(kept.release);
    schema.release(&schema);
}

static void test_arrow_stream__every_allocation_may_fail(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, 1, 2)};
    const struct made_run runs[] = {{.name = "Execute", .events = events, .event_count = 1}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    int is_done = 0;
    for (unsigned long n = 0; !is_done; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ArrowArrayStream stream;
        struct ets_error error;
        if (ets_arrow_events(made.inspection, &allocator, &stream, &error) == ETS_OK) {
            struct ArrowSchema schema;
            is_done = stream.get_schema(&stream, &schema) == 0;
            if (is_done) schema.release(&schema);
            stream.release(&stream);
        } else {
            assert_int_equal(error.status, ETS_NO_MEMORY);
        }
        assert_int_equal(failing.live, 0);
    }
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrow_stream__one_row_for_each_event),
        cmocka_unit_test(test_arrow_stream__a_column_outlives_the_batch),
        cmocka_unit_test(test_arrow_stream__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
