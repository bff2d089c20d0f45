/*
 * Reads requests to a server on this machine's loopback address (page_server.h).
 *
 *     switch (ets_http_read(text, size, port, &target)) {
 *     case ETS_HTTP_UNFINISHED: read_more(); break;
 *     case ETS_HTTP_GET: answer(target); break;
 *     }
 *
 * Nothing is allocated; anything may be in the text.
 */
#ifndef ETSCOPE_HOST_HTTP_REQUEST_H
#define ETSCOPE_HOST_HTTP_REQUEST_H

#include "etscope/base.h"

enum ets_http_request {
    ETS_HTTP_UNFINISHED = 0, /* its header has not ended */
    ETS_HTTP_GET = 1,
    ETS_HTTP_BAD = 400,
    ETS_HTTP_FORBIDDEN = 403, /* it was sent to another name: a page of another site asks */
    ETS_HTTP_METHOD = 405     /* anything but GET */
};

/* Reads the header of a request. Sets the target, "/a/b", in the text, for a GET. */
enum ets_http_request ets_http_read(const char *text, size_t size, unsigned port,
                                    struct ets_text *target_out);

#endif
