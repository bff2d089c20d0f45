/* Puts the operators of LiteRT's operator profile behind one another, in two runs. */
#include "import/litert_rows.h"

const char ets_litert_in_delegates[] = "operators inside delegates, beside the run's own";
const char ets_litert_in_subgraphs[] = "operators of subgraphs, inside of those that call them";

enum { FIRST = 0, AVERAGE = 1 }; /* threads, so that the runs do not mix */

static enum ets_status add(struct ets_foreign *f, struct ets_slice *slice, int thread,
                           int64_t *clock_ns, int64_t lasted_ns, struct ets_error *error)
{
    if (lasted_ns > (INT64_MAX >> 1) - *clock_ns) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the operators together take longer than 146 years");
    }
    slice->thread = (uint64_t)thread;
    slice->start = *clock_ns;
    slice->end = *clock_ns += lasted_ns;
    return ets_foreign_add(f, slice, error);
}

enum ets_status ets_litert_add(struct ets_foreign *f, struct ets_litert_clock *clock,
                               const struct ets_litert_row *row, struct ets_error *error)
{
    static const struct ets_text delegate = {"LiteRT delegate", 15},
                                 builtin = {"LiteRT builtin", 14};
    struct ets_slice slice = {.kind = ETS_SLICE_OPERATOR};
    ETS_TRY(ets_foreign_text(f, row->type, &slice.op, error));
    ETS_TRY(ets_foreign_text(f, row->name, &slice.name, error));
    ETS_TRY(ets_foreign_text(f, row->is_delegated ? delegate : builtin, &slice.backend, error));
    ETS_TRY(add(f, &slice, FIRST, &clock->first_ns, row->first_ns, error));
    return add(f, &slice, AVERAGE, &clock->average_ns, row->average_ns, error);
}

enum ets_status ets_litert_end(struct ets_foreign *f, const struct ets_litert_clock *clock,
                               struct ets_error *error)
{
    static const struct ets_text first = {"First run", 9}, average = {"Execute", 7};
    struct ets_slice slice = {
        .kind = ETS_SLICE_RUN, .is_frame = true, .thread = FIRST, .end = clock->first_ns};
    if (f->slice_count == 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "the operator profile has no operators of regular runs");
    }
    f->by_order = true;
    f->only_frames = true;
    ETS_TRY(ets_foreign_text(f, first, &slice.name, error));
    ETS_TRY(ets_foreign_add(f, &slice, error));
    slice.thread = AVERAGE;
    slice.end = clock->average_ns;
    ETS_TRY(ets_foreign_text(f, average, &slice.name, error));
    return ets_foreign_add(f, &slice, error);
}

struct ets_text ets_litert_type(struct ets_text type, bool *is_delegated_out)
{
    static const char prefix[] = "Delegate/";
    const size_t size = sizeof prefix - 1;
    *is_delegated_out = ets_text_starts_with(type, prefix);
    if (!*is_delegated_out) return type;
    return (struct ets_text){type.data + size, type.size - size};
}
