/* A server on the loopback address: one loop over the listening socket and few clients. */
#define _POSIX_C_SOURCE 200809L
#include "host/page_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "host/http_request.h"
#include "host/os/os_sockets.h"

enum {
    MOST_CLIENTS = 16,
    REQUEST_BYTES = 4096,
    HEADER_BYTES = 512,
    TOKEN_BYTES = 16,
    PATIENCE_MS = 10000 /* for a request, and for each progress of an answer */
};

/* A text that clients receive although another has replaced it. */
struct body {
    size_t size;
    unsigned users;
    char text[];
};

struct client {
    ets_os_socket socket; /* -1: free */
    uint64_t deadline_ms;
    char request[REQUEST_BYTES], header[HEADER_BYTES];
    size_t used, header_size, sent;
    struct body *body; /* NULL: the request has not ended */
};

struct ets_page_server {
    ets_os_socket socket;
    unsigned port;
    char token[2 * TOKEN_BYTES + 1], address[128];
    struct body *page, *state, *nothing;
    bool is_seen;
    struct client clients[MOST_CLIENTS];
};

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static struct body *make_body(struct ets_text text)
{
    struct body *body = malloc(sizeof *body + text.size + 1);
    if (body == NULL) return NULL;
    body->size = text.size;
    body->users = 1;
    if (text.size > 0) memcpy(body->text, text.data, text.size);
    return body;
}

static void release(struct body *body)
{
    if (body != NULL && --body->users == 0) free(body);
}

static void drop(struct client *client)
{
    if (client->socket != -1) ets_os_close_socket(client->socket);
    release(client->body);
    client->socket = -1;
    client->body = NULL;
}

static bool make_token(char token[2 * TOKEN_BYTES + 1])
{
    uint8_t bytes[TOKEN_BYTES];
    if (!ets_os_random(bytes, sizeof bytes)) return false;
    for (int i = 0; i < TOKEN_BYTES; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static enum ets_status start(struct ets_page_server *server, unsigned port, struct ets_error *error)
{
    static const struct ets_text empty = {"", 0};
    for (int i = 0; i < MOST_CLIENTS; i++) server->clients[i].socket = -1;
    server->socket = -1;
    server->nothing = make_body(empty);
    server->page = make_body(empty);
    server->state = make_body(empty);
    if (server->nothing == NULL || server->page == NULL || server->state == NULL) {
        return ets_fail_memory(error, "the server of the page");
    }
    if (!make_token(server->token)) {
        return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "no random bytes: %s", strerror(errno));
    }
    server->port = port;
    server->socket = ets_os_listen(&server->port, MOST_CLIENTS);
    if (server->socket == -1) {
        return ets_fail(error, ETS_IO, ETS_NO_OFFSET, "cannot serve on 127.0.0.1, port %u: %s",
                        port, strerror(errno));
    }
    snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u/%s/", server->port,
             server->token);
    return ETS_OK;
}

enum ets_status ets_page_server_open(unsigned port, struct ets_page_server **server_out,
                                     struct ets_error *error)
{
    struct ets_page_server *server = calloc(1, sizeof *server);
    if (server == NULL) return ets_fail_memory(error, "the server of the page");
    const enum ets_status status = start(server, port, error);
    if (status != ETS_OK) ets_page_server_close(server);
    else *server_out = server;
    return status;
}

const char *ets_page_server_address(const struct ets_page_server *server)
{
    return server->address;
}

enum ets_status ets_page_server_show(struct ets_page_server *server, struct ets_text page,
                                     struct ets_text state, struct ets_error *error)
{
    struct body *new_page = make_body(page), *new_state = make_body(state);
    if (new_page == NULL || new_state == NULL) {
        free(new_page);
        free(new_state);
        return ets_fail_memory(error, "the page");
    }
    release(server->page);
    release(server->state);
    server->page = new_page;
    server->state = new_state;
    server->is_seen = false;
    return ETS_OK;
}

bool ets_page_server_is_seen(const struct ets_page_server *server)
{
    return server->is_seen;
}

/* What is at a target; NULL: nothing. */
static struct body *find(const struct ets_page_server *server, struct ets_text target)
{
    char page[2 * TOKEN_BYTES + 3], state[2 * TOKEN_BYTES + 8];
    const size_t size = (size_t)snprintf(page, sizeof page, "/%s/", server->token);
    const size_t state_size = (size_t)snprintf(state, sizeof state, "/%s/state", server->token);
    if (target.size == size && memcmp(target.data, page, size) == 0) return server->page;
    if (target.size == state_size && memcmp(target.data, state, state_size) == 0) {
        return server->state;
    }
    return NULL;
}

static void answer(const struct ets_page_server *server, struct client *client, int read,
                   struct ets_text target)
{
    struct body *body = read == ETS_HTTP_GET ? find(server, target) : NULL;
    const int code = body != NULL ? 200 : read == ETS_HTTP_GET ? 404 : read;
    const bool is_page = body == server->page;
    client->body = body != NULL ? body : server->nothing;
    client->body->users++;
    client->header_size = (size_t)snprintf(
        client->header, sizeof client->header,
        "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n%s\r\n",
        code, code == 200 ? "OK" : "Refused", is_page ? "text/html" : "application/json",
        client->body->size, code == ETS_HTTP_METHOD ? "Allow: GET\r\n" : "");
}

static void receive(const struct ets_page_server *server, struct client *client)
{
    struct ets_text target;
    const int64_t size = ets_os_receive(client->socket, client->request + client->used,
                                        REQUEST_BYTES - client->used);
    if (size == ETS_OS_LATER) return;
    if (size <= 0) {
        drop(client);
        return;
    }
    client->used += (size_t)size;
    int read = ets_http_read(client->request, client->used, server->port, &target);
    if (read == ETS_HTTP_UNFINISHED && client->used == REQUEST_BYTES) read = ETS_HTTP_BAD;
    if (read == ETS_HTTP_UNFINISHED) return;
    client->deadline_ms = now_ms() + PATIENCE_MS;
    answer(server, client, read, target);
}

static void send_more(struct ets_page_server *server, struct client *client)
{
    const size_t header = client->header_size, all = header + client->body->size;
    const bool is_header = client->sent < header;
    const char *from =
        is_header ? client->header + client->sent : client->body->text + (client->sent - header);
    const int64_t size =
        ets_os_send(client->socket, from, (is_header ? header : all) - client->sent);
    if (size == ETS_OS_LATER) return;
    if (size < 0) {
        drop(client);
        return;
    }
    client->sent += (size_t)size;
    client->deadline_ms = now_ms() + PATIENCE_MS;
    if (client->sent < all) return;
    server->is_seen |= client->body == server->page;
    ets_os_end_sending(client->socket);
    drop(client);
}

static void take(struct ets_page_server *server)
{
    for (int i = 0; i < MOST_CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (client->socket != -1) continue;
        client->socket = ets_os_accept(server->socket);
        if (client->socket == -1) return;
        client->deadline_ms = now_ms() + PATIENCE_MS;
        client->used = client->sent = 0;
    }
}

/* Fills the list: the listening socket first, then clients with their numbers. */
static size_t list(const struct ets_page_server *server, struct ets_os_event *events, int *numbers)
{
    size_t count = 1;
    for (int i = 0; i < MOST_CLIENTS; i++) {
        const struct client *client = &server->clients[i];
        if (client->socket == -1) continue;
        numbers[count] = i;
        events[count++] = (struct ets_os_event){client->socket, client->body != NULL, false};
    }
    const bool is_full = count == MOST_CLIENTS + 1;
    events[0] = (struct ets_os_event){is_full ? -1 : server->socket, false, false};
    return count;
}

static void drop_late(struct ets_page_server *server)
{
    const uint64_t now = now_ms();
    for (int i = 0; i < MOST_CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (client->socket != -1 && now > client->deadline_ms) drop(client);
    }
}

bool ets_page_server_wait(struct ets_page_server *server, int input, int milliseconds)
{
    struct ets_os_event events[MOST_CLIENTS + 1];
    int numbers[MOST_CLIENTS + 1];
    const uint64_t end = now_ms() + (uint64_t)milliseconds;
    for (uint64_t now = now_ms(); now <= end; now = now_ms()) {
        const size_t count = list(server, events, numbers);
        const uint64_t left = end - now;
        bool has_input = false;
        if (!ets_os_wait_for_events(events, count, input, &has_input,
                                    left < 1000 ? (int)left : 1000)) {
            return false;
        }
        drop_late(server);
        for (size_t i = 1; i < count; i++) {
            struct client *client = &server->clients[numbers[i]];
            if (client->socket == -1 || !events[i].is_ready) continue;
            if (client->body == NULL) receive(server, client);
            else send_more(server, client);
        }
        if (events[0].is_ready) take(server);
        if (has_input) return true;
    }
    return false;
}

void ets_page_server_close(struct ets_page_server *server)
{
    if (server == NULL) return;
    for (int i = 0; i < MOST_CLIENTS; i++) drop(&server->clients[i]);
    if (server->socket != -1) ets_os_close_socket(server->socket);
    release(server->page);
    release(server->state);
    release(server->nothing);
    free(server);
}
