/* Files in and files out: whole or not at all. */
#include "test_inspect_support.h"

#include <dirent.h>
#include <sys/stat.h>

#include "host/output.h"

struct folder {
    char path[64];
};

static int set_up(void **state)
{
    static struct folder folder;
    snprintf(folder.path, sizeof folder.path, "/tmp/etscope_files.XXXXXX");
    *state = &folder;
    return mkdtemp(folder.path) == NULL;
}

static int tear_down(void **state)
{
    const struct folder *folder = *state;
    char path[128];
    static const char *const names[] = {"a", "link", "pipe"};
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        unlink(path);
    }
    return rmdir(folder->path); /* fails where a temporary file was left */
}

static const char *path_of(void **state, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", ((struct folder *)*state)->path, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    struct ets_output *output;
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    ets_output_write(output, text, strlen(text));
    ets_output_write(output, NULL, 0);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
}

static void assert_holds(const char *path, const char *text)
{
    struct ets_file *file;
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    const struct ets_bytes bytes = ets_file_bytes(file);
    assert_int_equal(bytes.size, strlen(text));
    if (bytes.size > 0) assert_memory_equal(bytes.data, text, bytes.size);
    ets_file_close(file);
}

static void test_host_files__what_is_committed_is_read(void **state)
{
    const char *path = path_of(state, "a");
    write_file(path, "first");
    assert_holds(path, "first");
    write_file(path, "");
    assert_holds(path, "");
    write_file(path, "a longer second one");
    assert_holds(path, "a longer second one");
}

static void test_host_files__what_is_discarded_leaves_nothing(void **state)
{
    const char *path = path_of(state, "a");
    struct ets_output *output;
    struct stat info;
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    ets_output_write(output, "x", 1);
    assert_int_equal(stat(path, &info), -1);
    ets_output_discard(output);
    assert_int_equal(stat(path, &info), -1);
    write_file(path, "stays");
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    ets_output_write(output, "y", 1);
    ets_output_discard(output);
    assert_holds(path, "stays");
    ets_output_discard(NULL);
}

static void test_host_files__failures_have_statuses(void **state)
{
    struct ets_file *file = NULL;
    struct ets_output *output = NULL;
    struct ets_error error;
    assert_int_equal(ets_file_open(path_of(state, "none"), &file, &error), ETS_NOT_FOUND);
    assert_int_equal(ets_file_open(path_of(state, "none/below"), &file, &error), ETS_NOT_FOUND);
    assert_int_equal(ets_file_open(path_of(state, ""), &file, &error), ETS_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    assert_int_equal(ets_output_open(path_of(state, "none/below"), &output, &error), ETS_IO);
    assert_int_equal(ets_output_open(path_of(state, ""), &output, &error), ETS_IO);
    assert_null(file);
    assert_null(output);
    ets_file_close(NULL);
}

static void test_host_files__a_full_device_is_told_at_commit(void **state)
{
    (void)state;
    struct ets_output *output;
    struct ets_error error;
    if (access("/dev/full", W_OK) != 0) SKIP_BECAUSE("needs /dev/full");
    static const char block[100000];
    for (size_t size = 1; size <= sizeof block; size += sizeof block - 1) {
        assert_int_equal(ets_output_open("/dev/full", &output, NULL), ETS_OK);
        ets_output_write(output, block, size);
        ets_output_write(output, block, size);
        assert_int_equal(ets_output_commit(output, &error), ETS_IO);
        assert_int_equal(error.status, ETS_IO);
    }
}

static void test_host_files__pipes_are_read_to_their_end(void **state)
{
    const char *path = path_of(state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *stream = fopen(path, "wb");
        for (int i = 0; stream != NULL && i < 50000; i++) fputs("0123456789", stream);
        _exit(stream == NULL || fclose(stream) != 0);
    }
    struct ets_file *file;
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    const struct ets_bytes bytes = ets_file_bytes(file);
    assert_int_equal(bytes.size, 500000);
    assert_memory_equal(bytes.data + 499990, "0123456789", 10);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_host_files__what_is_committed_is_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_host_files__what_is_discarded_leaves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_host_files__failures_have_statuses, set_up, tear_down),
        cmocka_unit_test(test_host_files__a_full_device_is_told_at_commit),
        cmocka_unit_test_setup_teardown(test_host_files__pipes_are_read_to_their_end, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
