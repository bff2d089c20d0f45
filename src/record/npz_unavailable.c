/* Stubs for NumPy's .npz files in a build without zlib. */
#include "base/error.h"
#include "record/numpy.h"

static enum ets_status unavailable(struct ets_error *error)
{
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                    "built without .npz support, which needs the packages rapidjson-dev and "
                    "zlib1g-dev; .npy files are read and written");
}

enum ets_status ets_npz_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                             struct ets_npz **npz_out, struct ets_error *error)
{
    (void)bytes;
    (void)allocator;
    (void)npz_out;
    return unavailable(error);
}

enum ets_status ets_npz_writer_open(struct ets_output *output,
                                    const struct ets_allocator *allocator,
                                    struct ets_npz_writer **writer_out, struct ets_error *error)
{
    (void)output;
    (void)allocator;
    (void)writer_out;
    return unavailable(error);
}

/* Neither can exist: what follows is never reached with one. */

void ets_npz_close(struct ets_npz *npz)
{
    (void)npz;
}

size_t ets_npz_count(const struct ets_npz *npz)
{
    (void)npz;
    return 0;
}

struct ets_text ets_npz_name(const struct ets_npz *npz, size_t index)
{
    (void)npz;
    (void)index;
    return (struct ets_text){NULL, 0};
}

size_t ets_npz_find(const struct ets_npz *npz, struct ets_text name)
{
    (void)npz;
    (void)name;
    return 0;
}

enum ets_status ets_npz_read(struct ets_npz *npz, size_t index, struct ets_tensor *tensor_out,
                             struct ets_error *error)
{
    (void)npz;
    (void)index;
    (void)tensor_out;
    return unavailable(error);
}

enum ets_status ets_npz_writer_add(struct ets_npz_writer *writer, const char *name,
                                   const struct ets_tensor *tensor, struct ets_error *error)
{
    (void)writer;
    (void)name;
    (void)tensor;
    return unavailable(error);
}

enum ets_status ets_npz_writer_finish(struct ets_npz_writer *writer, struct ets_error *error)
{
    (void)writer;
    return unavailable(error);
}

void ets_npz_writer_close(struct ets_npz_writer *writer)
{
    (void)writer;
}
