/* Requests to the server of a page, as browsers, other sites and attackers send them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/http_request.h"

#define HOST "Host: 127.0.0.1:4711\r\n"

static enum ets_http_request read_text(const char *text, struct ets_text *target)
{
    return ets_http_read(text, strlen(text), 4711, target);
}

static void test_a_browser_is_answered(void **state)
{
    static const char *const requests[] = {
        "GET /abc/ HTTP/1.1\r\n" HOST "Accept: text/html\r\n\r\n",
        "GET /abc/ HTTP/1.1\r\nAccept: */*\r\nhOsT:  localhost:4711 \r\n\r\n",
        "GET /abc/ HTTP/1.0\r\n" HOST "\r\nmore",
    };
    struct ets_text target;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_int_equal(read_text(requests[i], &target), ETS_HTTP_GET);
        assert_int_equal(target.size, 5);
        assert_memory_equal(target.data, "/abc/", 5);
    }
    (void)state;
}

static void test_a_request_is_read_when_it_is_whole(void **state)
{
    static const char request[] = "GET / HTTP/1.1\r\n" HOST "\r\n";
    struct ets_text target;
    for (size_t size = 0; size < sizeof request - 1; size++) {
        assert_int_equal(ets_http_read(request, size, 4711, &target), ETS_HTTP_UNFINISHED);
    }
    assert_int_equal(read_text(request, &target), ETS_HTTP_GET);
    (void)state;
}

static void test_others_are_refused(void **state)
{
    static const struct {
        const char *text;
        enum ets_http_request read;
    } requests[] = {
        {"GET / HTTP/1.1\r\n\r\n", ETS_HTTP_BAD},
        {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", ETS_HTTP_BAD},
        {"GET / HTTP/1.1\r\n" HOST "Host: example\r\n\r\n", ETS_HTTP_BAD},
        {"GET x HTTP/1.1\r\n" HOST "\r\n", ETS_HTTP_BAD},
        {"GET / HTTP/2.0\r\n" HOST "\r\n", ETS_HTTP_BAD},
        {"GET /\r\n" HOST "\r\n", ETS_HTTP_BAD},
        {"GET HTTP/1.1\r\n" HOST "\r\n", ETS_HTTP_BAD},
        {"\r\n\r\n", ETS_HTTP_BAD},
        {"GET / HTTP/1.1\r\nHost: example:4711\r\n\r\n", ETS_HTTP_FORBIDDEN},
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", ETS_HTTP_FORBIDDEN},
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1:47110\r\n\r\n", ETS_HTTP_FORBIDDEN},
        {"GET / HTTP/1.1\r\nHost: 127.0.0.1:4711.example\r\n\r\n", ETS_HTTP_FORBIDDEN},
        {"POST / HTTP/1.1\r\nHost: example\r\n\r\n", ETS_HTTP_FORBIDDEN},
        {"POST / HTTP/1.1\r\n" HOST "\r\n", ETS_HTTP_METHOD},
        {"GETS / HTTP/1.1\r\n" HOST "\r\n", ETS_HTTP_METHOD},
        {"get / HTTP/1.1\r\n" HOST "\r\n", ETS_HTTP_METHOD},
    };
    struct ets_text target;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_int_equal(read_text(requests[i].text, &target), requests[i].read);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_browser_is_answered),
        cmocka_unit_test(test_a_request_is_read_when_it_is_whole),
        cmocka_unit_test(test_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
