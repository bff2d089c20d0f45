/* The row of a file: what all kinds of files begin with, and bytes by size and hash. */
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/dump/dump_parts.h"

int dump_begin(struct dump_request *request)
{
    const char *path = cli_value(request->arguments, "--output");
    if (request->json == NULL) {
        const int code = cli_document_rows(path != NULL ? path : "-", &request->json);
        if (code != CLI_OK) return code;
    }
    ets_json_begin_row(request->json);
    request->is_in_row = true;
    ets_json_put_string(request->json, "path", request->path);
    ets_json_put_string(request->json, "kind", request->kind);
    ets_json_put_count(request->json, "file_bytes", request->bytes.size);
    return CLI_OK;
}

void dump_end(struct dump_request *request)
{
    ets_json_end_row(request->json);
    request->is_in_row = false;
}

int dump_hash(struct dump_request *request, struct ets_bytes bytes, bool is_told)
{
    uint64_t hash;
    struct ets_error error;
    if (bytes.size == 0) return CLI_OK;
    if (is_told && request->with_data) {
        if (bytes.size > request->data_budget) {
            return cli_complain(CLI_INPUT,
                                "%s: its parts overlap so much that --bytes would write it more "
                                "than %d times",
                                cli_path_name(request->path), DUMP_DATA_TIMES);
        }
        request->data_budget -= bytes.size;
    }
    const enum ets_status status = ets_content_hash(&request->contents, bytes, &hash, &error);
    return status == ETS_OK ? CLI_OK : cli_fail(request->path, &error);
}

void dump_put_hashed(struct dump_request *request, struct ets_bytes bytes, bool with_data)
{
    uint64_t hash = 0;
    /* It is known from dump_hash, so that this takes no memory and cannot fail. */
    if (bytes.size > 0 && ets_content_hash(&request->contents, bytes, &hash, NULL) != ETS_OK)
        return;
    ets_json_put_blob_members(request->json, bytes, hash, with_data);
}

void dump_put_content(struct dump_request *request, struct ets_bytes bytes, bool with_data)
{
    const uint8_t *start = request->bytes.data;
    const bool is_inside =
        bytes.data != NULL && bytes.data >= start && bytes.data <= start + request->bytes.size;
    if (is_inside) ets_json_put_count(request->json, "offset", (uint64_t)(bytes.data - start));
    else ets_json_put_null(request->json, "offset");
    dump_put_hashed(request, bytes, with_data);
}
