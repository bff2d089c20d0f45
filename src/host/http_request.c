/* Reads the header of an HTTP request: the method, the target and the host. */
#include "host/http_request.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The next line without its end; false: there is none. */
static bool next_line(struct ets_text *rest, struct ets_text *line_out)
{
    for (size_t i = 0; i + 1 < rest->size; i++) {
        if (rest->data[i] != '\r' || rest->data[i + 1] != '\n') continue;
        *line_out = (struct ets_text){rest->data, i};
        *rest = (struct ets_text){rest->data + i + 2, rest->size - i - 2};
        return true;
    }
    return false;
}

static bool begins(struct ets_text text, const char *word)
{
    const size_t size = strlen(word);
    if (text.size < size) return false;
    for (size_t i = 0; i < size; i++) {
        if (tolower((unsigned char)text.data[i]) != word[i]) return false;
    }
    return true;
}

static struct ets_text trimmed(struct ets_text text)
{
    while (text.size > 0 && (*text.data == ' ' || *text.data == '\t')) {
        text = (struct ets_text){text.data + 1, text.size - 1};
    }
    while (text.size > 0 && strchr(" \t", text.data[text.size - 1]) != NULL) text.size--;
    return text;
}

/* "127.0.0.1:80" or "localhost:80" */
static bool is_here(struct ets_text host, unsigned port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[32];
        const int size = snprintf(name, sizeof name, "%s:%u", names[i], port);
        if (host.size == (size_t)size && begins(host, name)) return true;
    }
    return false;
}

/* "GET /a/b HTTP/1.1" */
static enum ets_http_request read_line(struct ets_text line, struct ets_text *target_out)
{
    static const char version[] = " HTTP/1.";
    const size_t size = sizeof version - 1, tail = size + 1;
    const char *space = memchr(line.data, ' ', line.size);
    if (space == NULL || line.size < tail) return ETS_HTTP_BAD;
    const struct ets_text target = {space + 1, (size_t)(line.data + line.size - space - 1)};
    if (target.size < tail || memcmp(target.data + target.size - tail, version, size) != 0 ||
        target.data[0] != '/') {
        return ETS_HTTP_BAD;
    }
    *target_out = (struct ets_text){target.data, target.size - tail};
    return space == line.data + 3 && memcmp(line.data, "GET", 3) == 0 ? ETS_HTTP_GET
                                                                      : ETS_HTTP_METHOD;
}

enum ets_http_request ets_http_read(const char *text, size_t size, unsigned port,
                                    struct ets_text *target_out)
{
    struct ets_text rest = {text, size}, line, first;
    unsigned hosts = 0, others = 0;
    if (!next_line(&rest, &first)) return ETS_HTTP_UNFINISHED;
    while (next_line(&rest, &line)) {
        if (line.size == 0) {
            const enum ets_http_request read = read_line(first, target_out);
            const bool is_bad = read == ETS_HTTP_BAD || hosts + others != 1;
            return is_bad ? ETS_HTTP_BAD : others > 0 ? ETS_HTTP_FORBIDDEN : read;
        }
        if (!begins(line, "host:")) continue;
        const struct ets_text host = trimmed((struct ets_text){line.data + 5, line.size - 5});
        if (is_here(host, port)) hosts++;
        else others++;
    }
    return ETS_HTTP_UNFINISHED;
}
