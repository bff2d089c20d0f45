/* Comparing a caller's name with its copy: every alignment and length, and names that got shorter.
 */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/same_text.h"

enum { LONGEST = 40 };

static bool is_same(const char *name, const char *copy, size_t size)
{
    return ets_is_text(name, ets_text_start(name, copy), ets_text_shape(name, size));
}

/* Two pages, of which the second cannot be read. */
static char *open_page(size_t *bytes_out)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    *bytes_out = page;
    return pages;
}

/* A copy as the table has it: at a multiple of 8, other texts before and behind it. */
static char *copy_text(char *room, const char *text, size_t size)
{
    char *copy = room + 8;
    memset(room, 'x', LONGEST + 32);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void test_text__equal_at_every_alignment(void **state)
{
    static uint64_t room[(LONGEST + 32) / 8];
    static const char text[] = "native_call_convolution_backward.out_long";
    char names[LONGEST + 24];
    (void)state;
    for (size_t size = 0; size <= LONGEST; size++) {
        const char *copy = copy_text((char *)room, text, size);
        for (size_t skip = 0; skip < 8; skip++) {
            memset(names, 'y', sizeof names);
            char *name = names + 8 + skip;
            memcpy(name, text, size);
            name[size] = '\0';
            assert_true(is_same(name, copy, size));
            name[size] = '!'; /* longer */
            assert_false(is_same(name, copy, size));
            name[size] = '\0';
            for (size_t at = 0; at < size; at++) {
                name[at] ^= 1;
                assert_false(is_same(name, copy, size));
                name[at] = '\0'; /* shorter */
                assert_false(is_same(name, copy, size));
                name[at] = text[at];
            }
        }
    }
}

static void test_text__shorter_at_the_end_of_memory(void **state)
{
    static uint64_t room[(LONGEST + 32) / 8];
    static const char text[] = "native_call_convolution_backward.out_long";
    size_t page;
    char *pages = open_page(&page);
    const char *copy = copy_text((char *)room, text, LONGEST);
    (void)state;
    for (size_t size = 0; size < LONGEST; size++) { /* the name was as long as the copy once */
        char *name = pages + page - size - 1;
        memcpy(name, text, size);
        name[size] = '\0';
        assert_false(is_same(name, copy, LONGEST));
        assert_true(is_same(name, copy_text((char *)room, text, size), size));
        copy = copy_text((char *)room, text, LONGEST);
    }
    munmap(pages, 2 * page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__equal_at_every_alignment),
        cmocka_unit_test(test_text__shorter_at_the_end_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
