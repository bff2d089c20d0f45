/* The time that the processor's cores were busy. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_system.h"

#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "skip_because.h"

static double own_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void test_processor_load__has_what_this_process_took(void **state)
{
    (void)state;
    double before, after;
    if (!ets_os_busy_seconds(&before)) SKIP_BECAUSE("the system does not tell its load");
    const double begin = own_seconds();
    while (own_seconds() < begin + 0.2) continue;
    assert_true(ets_os_busy_seconds(&after));
    assert_true(before > 0);
    assert_true(after - before >= 0.15); /* the system counts in steps of 10 ms */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processor_load__has_what_this_process_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
