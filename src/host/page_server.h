/*
 * Serves one page that changes to browsers on this machine.
 *
 *     struct ets_page_server *server;
 *     if (ets_page_server_open(0, &server, &error) == ETS_OK) {
 *         puts(ets_page_server_address(server));
 *         ets_page_server_show(server, page, state, &error);
 *         while (!is_done) has_input = ets_page_server_wait(server, input, 1000);
 *         ets_page_server_close(server);
 *     }
 *
 * It listens on 127.0.0.1 alone, and answers GET requests that were sent to this name and know the
 * random part of the address: another user or site learns nothing. A request has 4 KiB and 10 s;
 * no more than 16 are open. From one thread. The process has to ignore SIGPIPE, which a browser
 * that goes away causes.
 */
#ifndef ETSCOPE_HOST_PAGE_SERVER_H
#define ETSCOPE_HOST_PAGE_SERVER_H

#include <stdbool.h>

#include "etscope/base.h"

struct ets_page_server;

/* `port` 0: any free one. Statuses: IO, NO_MEMORY. */
enum ets_status ets_page_server_open(unsigned port, struct ets_page_server **server_out,
                                     struct ets_error *error);
/* "http://127.0.0.1:40123/0f...9c/" */
const char *ets_page_server_address(const struct ets_page_server *server);

/*
 * Replaces the page at the address, HTML, and what is at its relative address "state", JSON. Both
 * are copied. Status: NO_MEMORY; the page stays then.
 */
enum ets_status ets_page_server_show(struct ets_page_server *server, struct ets_text page,
                                     struct ets_text state, struct ets_error *error);

/*
 * Answers until `input`, a file descriptor (-1: none), can be read, which returns true, or the time
 * is over or a signal arrives.
 */
bool ets_page_server_wait(struct ets_page_server *server, int input, int milliseconds);

/* Whether somebody received the page that is shown now. */
bool ets_page_server_is_seen(const struct ets_page_server *server);

void ets_page_server_close(struct ets_page_server *server); /* NULL is allowed */

#endif
