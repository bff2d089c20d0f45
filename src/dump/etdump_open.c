/* Opens an ETDump: verifies the whole file once, so that reading it needs no checks. */
#include "dump/etdump_schema.h"

/* The prefix is the size of the rest: a shorter file was cut, a longer one has a foreign tail.
 */
static enum ets_status check_size_prefix(struct ets_bytes bytes, struct ets_error *error)
{
    const uint32_t announced = ets_load_u32(bytes.data);
    if (announced > bytes.size - 4) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "the size prefix announces %u bytes, but only %zu follow", announced,
                        bytes.size - 4);
    }
    if (announced < 16) {
        return ets_fail(error, ETS_MALFORMED, 0, "the size prefix announces only %u bytes",
                        announced);
    }
    return ETS_OK;
}

enum ets_status ets_etdump_init(struct ets_etdump *dump, struct ets_bytes bytes,
                                struct ets_error *error)
{
    size_t root_at = 0;
    ETS_TRY(ets_etdump_root_at(bytes, &root_at, error));
    struct ets_bytes body = bytes;
    if (root_at != 0) {
        ETS_TRY(check_size_prefix(bytes, error));
        body.size = 4 + (size_t)ets_load_u32(bytes.data);
    }
    struct ets_fb root;
    struct ets_error reason;
    enum ets_status status =
        ets_fb_verify_exact_root(body, root_at, &ets_etdump_type, 0, &root, &reason);
    if (status != ETS_OK) {
        /* A file with the size of its prefix was not cut, so an offset past its end is wrong.
         */
        if (status == ETS_TRUNCATED && root_at != 0) status = ETS_MALFORMED;
        if (status == ETS_MALFORMED && ets_etdump_is_left_open(body)) {
            return ets_fail(error, status, reason.offset,
                            "the table of runs holds events: ETDumpGen writes this after a float16 "
                            "or bfloat16 tensor. Those tensors are lost; the rest can be read");
        }
        return ets_fail(error, status, reason.offset, "%s", reason.message);
    }
    const uint32_t version = ets_fb_u32(root, ETDUMP_VERSION, 0);
    if (version > ETS_ETDUMP_VERSION) {
        return ets_fail(error, ETS_UNSUPPORTED, root.at,
                        "ETDump has version %u; only version %d is supported", version,
                        ETS_ETDUMP_VERSION);
    }
    const struct ets_fb_vector runs = ets_fb_vector(root, ETDUMP_RUN_DATA);
    *dump = (struct ets_etdump){
        .bytes = body,
        .version = version,
        .run_count = runs.count,
        .is_size_prefixed = root_at != 0,
        .runs_at = runs.at,
    };
    return ETS_OK;
}
