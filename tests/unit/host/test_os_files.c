/* Paths and what is at them. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_files.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/os/os_input.h"
#include "host/os/os_output.h"

static char root[ETS_OS_PATH_BYTES];

static int set_up(void **state)
{
    (void)state;
    return ets_os_make_temporary_folder(root, sizeof root);
}

static int tear_down(void **state)
{
    (void)state;
    return ets_os_remove_folder(root); /* fails where a file was left */
}

static const char *in_root(const char *name)
{
    static char paths[4][ETS_OS_PATH_BYTES + 32];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void make_file(const char *name, const char *text)
{
    const struct ets_os_permissions new_file = {0600, false};
    FILE *file = ets_os_create_new(in_root(name), new_file);
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_os_files__name_and_ending_of_a_path(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name, *ending;
        bool has_folder;
    } cases[] = {
        {"a/b.c/d.etdp", "d.etdp", ".etdp", true},
        {"d.etdp", "d.etdp", ".etdp", false},
        {"a.b/c", "c", "", true},
        {".hidden", ".hidden", "", false},
        {"a/.hidden.x", ".hidden.x", ".x", true},
        {"a/", "", "", true},
        {"", "", "", false},
        {"a.b.c", "a.b.c", ".c", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(ets_os_name(cases[i].path), cases[i].name);
        assert_string_equal(ets_os_ending(cases[i].path), cases[i].ending);
        assert_int_equal(ets_os_has_folder(cases[i].path), cases[i].has_folder);
    }
}

static void test_os_files__tells_kinds_and_identities(void **state)
{
    (void)state;
    make_file("a", "twelve bytes");
    make_file("b", "");
    const struct ets_os_place a = ets_os_look(in_root("a")), b = ets_os_look(in_root("b"));
    const struct ets_os_place again = ets_os_look(in_root("./a"));
    assert_int_equal(a.kind, ETS_OS_FILE);
    assert_int_equal(a.size, 12);
    assert_true(ets_os_is_same(&a, &again));
    assert_false(ets_os_is_same(&a, &b));
    assert_int_equal(ets_os_look(root).kind, ETS_OS_FOLDER);
    assert_int_equal(ets_os_look(in_root("none")).kind, ETS_OS_NOTHING);
    assert_int_equal(ets_os_look(ets_os_null_device).kind, ETS_OS_OTHER);
    assert_true(ets_os_can_read(in_root("a")));
    assert_false(ets_os_can_read(in_root("none")));
    assert_int_equal(ets_os_remove(in_root("a")), 0);
    assert_int_equal(ets_os_remove(in_root("b")), 0);
    assert_int_equal(ets_os_remove(in_root("b")), ENOENT);
}

static void test_os_files__follows_links(void **state)
{
    (void)state;
    make_file("a", "x");
    assert_int_equal(symlink("a", in_root("link")), 0);
    char *target = ets_os_follow_link(in_root("link"));
    assert_string_equal(target, in_root("a"));
    free(target);
    errno = EIO;
    assert_null(ets_os_follow_link(in_root("a")));
    assert_int_equal(errno, 0);
    char *real = ets_os_real_path(in_root("link")), *other = ets_os_real_path(in_root("a"));
    assert_string_equal(real, other);
    free(real);
    free(other);
    assert_null(ets_os_real_path(in_root("none")));
    ets_os_remove(in_root("link"));
    ets_os_remove(in_root("a"));
}

static bool count(void *context, const char *name)
{
    assert_true(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
    return ++*(unsigned *)context < 2;
}

static void test_os_files__lists_until_told_to_stop(void **state)
{
    (void)state;
    unsigned seen = 0;
    assert_true(ets_os_list(root, count, &seen));
    assert_int_equal(seen, 0);
    make_file("a", "");
    assert_true(ets_os_list(root, count, &seen));
    assert_int_equal(seen, 1);
    make_file("b", "");
    make_file("c", "");
    seen = 0;
    assert_true(ets_os_list(root, count, &seen));
    assert_int_equal(seen, 2);
    assert_false(ets_os_list(in_root("a"), count, &seen));
    for (const char *name = "abc"; *name != '\0'; name++) {
        const char text[] = {*name, '\0'};
        assert_int_equal(ets_os_remove(in_root(text)), 0);
    }
}

static void test_os_files__creates_new_files_and_replaces(void **state)
{
    (void)state;
    struct ets_os_permissions permissions;
    char text[8] = "";
    make_file("a", "old");
    make_file("b", "new");
    assert_int_equal(ets_os_permissions_of(in_root("a"), &permissions), 0);
    assert_true(permissions.is_replaced);
    assert_null(ets_os_create_new(in_root("a"), permissions));
    assert_int_equal(errno, EEXIST);
    assert_int_equal(ets_os_replace(in_root("b"), in_root("a")), 0);
    const int file = ets_os_open(in_root("a"));
    assert_true(file >= 0);
    assert_int_equal(ets_os_look_open(file).size, 3);
    const char *mapping = ets_os_map(file, 3);
    assert_memory_equal(mapping, "new", 3);
    ets_os_unmap((void *)(uintptr_t)mapping, 3);
    assert_int_equal(ets_os_read(file, text, sizeof text), 3);
    assert_int_equal(ets_os_read(file, text, sizeof text), 0);
    ets_os_close(file);
    assert_int_equal(ets_os_remove(in_root("a")), 0);
}

static void test_os_files__reasons_are_errno(void **state)
{
    (void)state;
    assert_int_equal(ets_os_open(in_root("none")), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(ets_os_open(root), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(ets_os_make_folder(root), EEXIST);
    assert_int_equal(ets_os_replace(in_root("none"), in_root("a")), ENOENT);
    make_file("a", "");
    assert_true(ets_os_remove_folder(root) != 0);
    assert_int_equal(ets_os_remove(in_root("a")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_os_files__name_and_ending_of_a_path),
        cmocka_unit_test(test_os_files__tells_kinds_and_identities),
        cmocka_unit_test(test_os_files__follows_links),
        cmocka_unit_test(test_os_files__lists_until_told_to_stop),
        cmocka_unit_test(test_os_files__creates_new_files_and_replaces),
        cmocka_unit_test(test_os_files__reasons_are_errno),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
