/* Python frames of PyTorch's trace: which modules and which line of the model an operator is of. */
#ifndef ETSCOPE_IMPORT_TORCH_FRAMES_H
#define ETSCOPE_IMPORT_TORCH_FRAMES_H

#include "import/foreign.h"

/* A call of a Python function or module. */
struct ets_torch_frame {
    int64_t start, end;
    uint64_t thread;
    struct ets_text name; /* "models/zoo.py(31): forward", "nn.Module: Linear_0" */
};

struct ets_torch_frames {
    struct ets_torch_frame *items;
    uint32_t count, room;
};

enum ets_status ets_torch_frames_add(struct ets_foreign *f, struct ets_torch_frames *frames,
                                     const struct ets_torch_frame *frame, struct ets_error *error);

/*
 * Sets module, file, function and line of a slice from its call stack: frames, innermost first,
 * each ended by ';'.
 */
enum ets_status ets_torch_place_by_stack(struct ets_foreign *f, struct ets_text stack,
                                         struct ets_slice *slice, struct ets_error *error);
/* The same for all operators without a place, from the frames that they are inside of in time. */
enum ets_status ets_torch_place_by_time(struct ets_foreign *f, struct ets_torch_frames *frames,
                                        struct ets_error *error);

#endif
