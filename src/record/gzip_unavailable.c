/* A stub of gzip for a build without zlib. */
#include "base/error.h"
#include "record/gzip.h"

enum ets_status ets_gzip_unpack(struct ets_bytes bytes, struct ets_bytes *data_out,
                                struct ets_error *error)
{
    (void)bytes;
    (void)data_out;
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                    "is packed by gzip, and this was built without the package zlib1g-dev");
}
