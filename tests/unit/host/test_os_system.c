/* What the machine is and has. */
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

static void test_os_system__busy_seconds_have_what_this_process_took(void **state)
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

static void test_os_system__has_cores_and_memory(void **state)
{
    (void)state;
    char name[128] = "";
    assert_true(ets_os_cores() >= 1);
    assert_true(ets_os_physical_memory() > 1 << 20);
    assert_true(ets_os_name_system(name, sizeof name));
    assert_true(name[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_os_system__has_cores_and_memory),
        cmocka_unit_test(test_os_system__busy_seconds_have_what_this_process_took),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
