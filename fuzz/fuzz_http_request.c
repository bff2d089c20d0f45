/* Reads any bytes as an HTTP request: what is found lies inside, and more bytes change no answer.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/http_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_text target, again;
    char *text = calloc(size + 1, 1); /* a read beyond it is seen */
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    const enum ets_http_request read = ets_http_read(text, size, 80, &target);
    if (read == ETS_HTTP_GET) {
        check(target.data >= text && target.size <= size - (size_t)(target.data - text));
        check(target.size > 0 && target.data[0] == '/');
    }
    for (size_t less = size; less > 0 && size < 4096; less--) {
        const enum ets_http_request before = ets_http_read(text, less - 1, 80, &again);
        check(before == ETS_HTTP_UNFINISHED || before == read);
    }
    free(text);
    return 0;
}
