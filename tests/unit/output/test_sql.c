/* SQL over inspections: what the library promises beyond the command, which tests/cli covers. */
#include "test_inspect_support.h"

#include "host/output.h"

#include "output/sql/sql.h"

static const struct made_event first_run[] = {
    CALL("native_call_add.out", 0, 100, 140), CALL("OPERATOR_CALL", 0, 90, 150), ALLOCATION(1, 64),
    ALLOCATION(1, 16), FRAMEWORK("Method::execute", 80, 200)};
static const struct made_event second_run[] = {
    CALL("native_call_add.out", 0, 300, 360), CALL("OPERATOR_CALL", 0, 290, 370), ALLOCATION(1, 64),
    ALLOCATION(1, 16), FRAMEWORK("Method::execute", 280, 400)};
static const struct made_run runs[] = {
    {"Execute", -1, first_run, COUNT(first_run), 1},
    {"Execute", -1, second_run, COUNT(second_run), 1},
};

struct fixture {
    struct made made;
    struct ets_study_trace trace;
    struct ets_sql *sql;
};

/* Skips the test where there is no SQLite. */
static void open_sql(struct fixture *f)
{
    struct ets_error error = {.status = ETS_OK};
    f->made = inspect_runs(runs, COUNT(runs), (struct ets_inspect_options){.record = NULL});
    f->trace = (struct ets_study_trace){.path = "made.etdp",
                                        .inspection = f->made.inspection,
                                        .record = ETS_NO_INDEX,
                                        .program = ETS_NO_INDEX};
    const struct ets_study_sources sources = {.traces = &f->trace, .trace_count = 1};
    const enum ets_status status = ets_sql_open(&sources, NULL, &f->sql, &error);
    if (status == ETS_UNAVAILABLE) {
        made_close(&f->made);
        SKIP_BECAUSE("this build has no SQL");
    }
    if (status != ETS_OK) print_error("%s\n", error.message);
    assert_int_equal(status, ETS_OK);
}

static void close_sql(struct fixture *f)
{
    ets_sql_close(f->sql);
    made_close(&f->made);
}

static void assert_answer(struct fixture *f, const char *query, const char *expected)
{
    struct ets_table *table;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    if (ets_sql_query(f->sql, query, table, &error) != ETS_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_string_equal(text, expected);
    free(text);
    ets_table_close(table);
}

static void test_sql__tables_tell_the_events(void **state)
{
    struct fixture f;
    (void)state;
    open_sql(&f);
    assert_answer(&f, "select id, run, kind, name, time from events where run = 1",
                  "id,run,kind,name,time\n5,1,profile,native_call_add.out,60.0\n"
                  "6,1,profile,OPERATOR_CALL,80.0\n7,1,allocation,,\n8,1,allocation,,\n"
                  "9,1,profile,Method::execute,120.0\n");
    assert_answer(&f, "select name, depth, avg, self, children, p50, total from operators",
                  "name,depth,avg,self,children,p50,total\nadd.out,2,50.0,50.0,0,50.0,100.0\n"
                  "OPERATOR_CALL,1,70.0,20.0,1,70.0,140.0\n"
                  "Method::execute,0,120.0,50.0,1,120.0,240.0\n");
    assert_answer(&f, "select name, allocations, bytes, largest from allocators",
                  "name,allocations,bytes,largest\nplanned,4,160,64\n");
    assert_answer(&f, "select id, time from runs", "id,time\n0,120.0\n1,120.0\n");
    close_sql(&f);
}

static void test_sql__columns_have_kinds_and_names(void **state)
{
    struct fixture f;
    (void)state;
    open_sql(&f);
    assert_answer(&f, "select 1 as one, 'two' as two, 3.5, null as gap, x'41' as raw",
                  "one,two,3.5,gap,raw\n1,two,3.5,,A\n");
    assert_answer(&f, "select name from events where 0", "name\n");
    close_sql(&f);
}

static void assert_refused(struct fixture *f, const char *query, const char *reason,
                           uint64_t offset)
{
    struct ets_table *table;
    struct ets_error error = {.status = ETS_OK};
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_sql_query(f->sql, query, table, &error), ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, reason));
    if (offset != ETS_NO_OFFSET && error.offset != ETS_NO_OFFSET) {
        assert_int_equal(error.offset, offset);
    }
    assert_int_equal(error.status, ETS_INVALID_ARGUMENT);
    ets_table_close(table);
}

static void test_sql__a_wrong_query_is_told_and_the_next_one_answered(void **state)
{
    struct fixture f;
    (void)state;
    open_sql(&f);
    assert_refused(&f, "select * from nowhere", "no such table: nowhere; the tables are traces",
                   14);
    assert_refused(&f, "select gap from events", "no such column: gap", 7);
    assert_refused(&f, "", "empty", ETS_NO_OFFSET);
    assert_refused(&f, "select 1; select 2", "single statement", 9);
    assert_refused(&f, "delete from events", "", ETS_NO_OFFSET);
    assert_refused(&f, "attach ':memory:' as x", "only read", ETS_NO_OFFSET);
    assert_refused(&f, "select percentile(time, -1) from events", "0 to 100", ETS_NO_OFFSET);
    assert_answer(&f, "select count(*) as n from events", "n\n10\n");
    close_sql(&f);
}

static void test_sql__queries_cut_anywhere_do_no_harm(void **state)
{
    static const char query[] =
        "with recursive t(i, j) as (select 0, '[1,2]' union all select i + 1, j from t where i < 9)"
        " select t.i, median(o.p50), group_concat(e.name) from t join json_each(t.j) as k "
        "join operators o on o.id = t.i left join events e on e.operator = o.id "
        "group by t.i having count(*) > 0 order by 2 desc limit 5;";
    struct fixture f;
    char cut[sizeof query];
    (void)state;
    open_sql(&f);
    for (size_t size = 0; size < sizeof query; size++) {
        struct ets_table *table;
        struct ets_error error = {.status = ETS_OK};
        memcpy(cut, query, size);
        cut[size] = '\0';
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        const enum ets_status status = ets_sql_query(f.sql, cut, table, &error);
        assert_true(status == ETS_OK || status == ETS_INVALID_ARGUMENT);
        assert_int_equal(status, error.status);
        if (status != ETS_OK && error.offset != ETS_NO_OFFSET) assert_true(error.offset <= size);
        ets_table_close(table);
    }
    close_sql(&f);
}

static void test_sql__a_table_without_memory_says_so(void **state)
{
    struct fixture f;
    (void)state;
    open_sql(&f);
    for (unsigned long at = 1;; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_table *table;
        struct ets_output *output;
        assert_int_equal(ets_table_open(&allocator, &table, NULL), ETS_OK);
        assert_int_equal(
            ets_sql_query(f.sql, "select e.*, d.* from events e, events d", table, NULL), ETS_OK);
        assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
        const enum ets_status status = ets_table_write(
            table, &(struct ets_table_style){.format = ETS_FORMAT_JSON}, output, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ets_output_discard(output);
        ets_table_close(table);
        assert_int_equal(failing.live, 0);
        if (status == ETS_OK) break;
    }
    close_sql(&f);
}

/* Opens a database, asks it, and closes it. */
static enum ets_status ask_with(const struct ets_allocator *allocator, const struct fixture *f,
                                const char *query, struct ets_table *table, struct ets_error *error)
{
    const struct ets_study_sources sources = {.traces = &f->trace, .trace_count = 1};
    struct ets_sql *sql = NULL;
    enum ets_status status = ets_sql_open(&sources, allocator, &sql, error);
    if (status == ETS_OK) {
        status = ets_sql_query(sql, query, table, error);
    }
    ets_sql_close(sql);
    return status;
}

static void assert_every_failed_allocation(const struct fixture *f, const char *query)
{
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        struct ets_table *table;
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        status = ask_with(&allocator, f, query, table, &error);
        assert_int_equal(status, error.status);
        if (status == ETS_OK) assert_true(failing.calls <= at);
        else assert_int_equal(status, ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(at < 1000);
        ets_table_close(table);
    }
}

static void test_sql__every_failed_allocation_of_a_database_is_told(void **state)
{
    struct fixture f;
    (void)state;
    open_sql(&f); /* or skip */
    assert_every_failed_allocation(
        &f,
        "select name, mid, debug_handles, median(p50) from operators group by name "
        "order by percentile(p50, 10)");
    assert_every_failed_allocation(&f, "select kind, sentence, method from findings");
    close_sql(&f);
}

static void test_sql__no_sources_are_empty_tables(void **state)
{
    const struct ets_study_sources none = {.traces = NULL};
    struct fixture f = {.sql = NULL};
    struct ets_error error;
    (void)state;
    if (ets_sql_open(&none, NULL, &f.sql, &error) == ETS_UNAVAILABLE) {
        SKIP_BECAUSE("this build has no SQL");
    }
    assert_non_null(f.sql);
    assert_answer(&f, "select count(*) as n from events", "n\n0\n");
    assert_answer(&f, "select * from allocators",
                  "trace,block,run_name,method,allocator,name,allocations,bytes,largest\n");
    assert_answer(&f, "select count(*) as n from tensors where event = 0", "n\n0\n");
    ets_sql_close(f.sql);
    ets_sql_close(NULL);
}

static void test_sql__schema_and_version_need_no_database(void **state)
{
    struct ets_table *table;
    char version[32];
    struct ets_error error;
    (void)state;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_sql_schema(table);
    assert_true(ets_table_row_count(table) > 150);
    ets_table_close(table);
    const enum ets_status status = ets_sql_library_version(version, sizeof version, &error);
    if (status == ETS_OK) assert_int_equal(version[0], '3');
    else assert_int_equal(status, ETS_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sql__tables_tell_the_events),
        cmocka_unit_test(test_sql__columns_have_kinds_and_names),
        cmocka_unit_test(test_sql__a_wrong_query_is_told_and_the_next_one_answered),
        cmocka_unit_test(test_sql__queries_cut_anywhere_do_no_harm),
        cmocka_unit_test(test_sql__a_table_without_memory_says_so),
        cmocka_unit_test(test_sql__every_failed_allocation_of_a_database_is_told),
        cmocka_unit_test(test_sql__no_sources_are_empty_tables),
        cmocka_unit_test(test_sql__schema_and_version_need_no_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
