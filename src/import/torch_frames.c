/* Finds an operator's modules and source line in the Python frames around it. */
#include "import/torch_frames.h"

#include <stdlib.h>

#include "import/text_lines.h"

enum { MOST_MODULES = 64, MOST_FRAMES = 1024 };

/* What the frames seen so far tell, innermost first. */
struct place {
    struct ets_text modules[MOST_MODULES];
    unsigned module_count;
    struct ets_text file, function; /* of the innermost frame of the user's code */
    uint32_t line;
};

enum ets_status ets_torch_frames_add(struct ets_foreign *f, struct ets_torch_frames *frames,
                                     const struct ets_torch_frame *frame, struct ets_error *error)
{
    struct ets_torch_frame *items =
        ets_arena_grow(&f->arena, frames->items, frames->count, &frames->room, sizeof *items);
    if (items == NULL) return ets_fail_foreign(error);
    frames->items = items;
    items[frames->count++] = *frame;
    return ETS_OK;
}

/* PyTorch's own code, wherever it is installed. */
static bool is_of_torch(struct ets_text file)
{
    return ets_text_starts_with(file, "torch/") || ets_text_contains(file, "/torch/");
}

/* "models/zoo.py(31): forward" */
static bool split_frame(struct ets_text frame, struct ets_text *file, uint32_t *line,
                        struct ets_text *function)
{
    struct ets_text number;
    int64_t value;
    if (!ets_take_last(&frame, "): ", function)) return false;
    if (!ets_take_last(&frame, "(", &number) || frame.size == 0) return false;
    if (!ets_decimal_ns(number, 0, &value) || value < 0 || value > INT32_MAX) return false;
    *file = frame;
    *line = (uint32_t)value;
    return true;
}

static void see_frame(struct place *place, struct ets_text frame)
{
    static const char module[] = "nn.Module: ";
    const size_t size = sizeof module - 1;
    struct ets_text file, function;
    uint32_t line;
    if (ets_text_starts_with(frame, module)) {
        if (place->module_count == MOST_MODULES) return;
        place->modules[place->module_count++] =
            (struct ets_text){frame.data + size, frame.size - size};
    } else if (place->file.data == NULL && split_frame(frame, &file, &line, &function) &&
               !is_of_torch(file)) {
        place->file = file;
        place->function = function;
        place->line = line;
    }
}

/* "Net_0.Linear_0": the modules from the outermost on. */
static enum ets_status join_modules(struct ets_foreign *f, const struct place *place,
                                    uint32_t *number, struct ets_error *error)
{
    size_t room = 1, used = 0;
    *number = ETS_STRING_NONE;
    if (place->module_count == 0) return ETS_OK;
    for (unsigned i = 0; i < place->module_count; i++) room += place->modules[i].size + 1;
    char *path = ets_arena_alloc(&f->arena, room);
    if (path == NULL) return ets_fail_foreign(error);
    for (unsigned i = place->module_count; i-- > 0;) {
        const struct ets_text module = place->modules[i];
        if (used > 0) path[used++] = '.';
        for (size_t k = 0; k < module.size; k++) {
            path[used++] = module.data[k] == '.' ? '_' : module.data[k];
        }
    }
    return ets_foreign_text(f, (struct ets_text){path, used}, number, error);
}

static enum ets_status put_place(struct ets_foreign *f, const struct place *place,
                                 struct ets_slice *slice, struct ets_error *error)
{
    slice->line = place->line;
    ETS_TRY(ets_foreign_text(f, place->file, &slice->file, error));
    ETS_TRY(ets_foreign_text(f, place->function, &slice->function, error));
    return join_modules(f, place, &slice->module, error);
}

enum ets_status ets_torch_place_by_stack(struct ets_foreign *f, struct ets_text stack,
                                         struct ets_slice *slice, struct ets_error *error)
{
    struct place place = {.module_count = 0};
    while (stack.size > 0) see_frame(&place, ets_trim(ets_take_first(&stack, ';')));
    return put_place(f, &place, slice, error);
}

static int compare_begin(uint64_t thread, int64_t start, int64_t end, uint64_t other_thread,
                         int64_t other_start, int64_t other_end)
{
    if (thread != other_thread) return thread < other_thread ? -1 : 1;
    if (start != other_start) return start < other_start ? -1 : 1;
    return end > other_end ? -1 : end < other_end;
}

static int by_frame_begin(const void *left, const void *right)
{
    const struct ets_torch_frame *a = left, *b = right;
    return compare_begin(a->thread, a->start, a->end, b->thread, b->start, b->end);
}

/* An operator without a place. */
struct open_slice {
    uint64_t thread;
    int64_t start, end;
    uint32_t index;
};

static int by_slice_begin(const void *left, const void *right)
{
    const struct open_slice *a = left, *b = right;
    const int order = compare_begin(a->thread, a->start, a->end, b->thread, b->start, b->end);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static struct open_slice *sort_slices(struct ets_foreign *f, uint32_t *count_out)
{
    struct open_slice *list = ets_arena_alloc_array(&f->arena, f->slice_count, sizeof *list);
    uint32_t count = 0;
    for (uint32_t i = 0; list != NULL && i < f->slice_count; i++) {
        const struct ets_slice *slice = &f->slices[i];
        if (slice->kind != ETS_SLICE_OPERATOR || slice->module != 0 || slice->file != 0) continue;
        list[count++] = (struct open_slice){slice->thread, slice->start, slice->end, i};
    }
    if (list != NULL && count > 0) qsort(list, count, sizeof *list, by_slice_begin);
    *count_out = count;
    return list;
}

/* The frames around the operator that is looked at: a stack of those that began before it. */
struct sweep {
    const struct ets_torch_frame *frames;
    uint32_t count, next;
    uint32_t stack[MOST_FRAMES], depth;
};

static void sweep_to(struct sweep *s, const struct open_slice *slice)
{
    while (s->next < s->count) {
        const struct ets_torch_frame *frame = &s->frames[s->next];
        if (frame->thread > slice->thread) break;
        if (frame->thread == slice->thread && frame->start > slice->start) break;
        while (s->depth > 0 && (s->frames[s->stack[s->depth - 1]].thread != frame->thread ||
                                s->frames[s->stack[s->depth - 1]].end < frame->start)) {
            s->depth--;
        }
        if (s->depth < MOST_FRAMES) s->stack[s->depth++] = s->next;
        s->next++;
    }
}

enum ets_status ets_torch_place_by_time(struct ets_foreign *f, struct ets_torch_frames *frames,
                                        struct ets_error *error)
{
    struct sweep s = {.frames = frames->items, .count = frames->count};
    uint32_t count;
    if (frames->count == 0) return ETS_OK;
    qsort(frames->items, frames->count, sizeof *frames->items, by_frame_begin);
    const struct open_slice *list = sort_slices(f, &count);
    if (list == NULL) return ets_fail_foreign(error);
    for (uint32_t i = 0; i < count; i++) {
        struct place place = {.module_count = 0};
        sweep_to(&s, &list[i]);
        for (uint32_t d = s.depth; d-- > 0;) {
            const struct ets_torch_frame *frame = &s.frames[s.stack[d]];
            if (frame->thread == list[i].thread && frame->end >= list[i].end) {
                see_frame(&place, frame->name);
            }
        }
        ETS_TRY(put_place(f, &place, &f->slices[list[i].index], error));
    }
    return ETS_OK;
}
