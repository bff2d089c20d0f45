/*
 * Findings about programs in channels_last that fail, or compute wrong values, at every run. Each
 * was seen with ExecuTorch 1.5.1: docs/compatibility.md.
 */
#include "advice/finding_rules.h"
#include "base/text.h"
#include "format/program_lists.h"

/* The layouts of the images that an instruction reads and writes. */
struct layouts {
    uint32_t contiguous, last, unclear; /* unclear: neither, though both would be the same */
};

static void add_image(struct layouts *layouts, const struct ets_tensor *image)
{
    if (!ets_is_ambiguous_image(image)) {
        if (image->strides[3] == 1) layouts->contiguous++;
        else if (image->strides[1] == 1) layouts->last++;
        return;
    }
    int64_t stride = 1;
    bool is_contiguous = true;
    for (uint32_t i = image->rank; i-- > 0;) {
        is_contiguous = is_contiguous && image->strides[i] == stride;
        stride *= image->sizes[i] > 0 && image->sizes[i] < INT32_MAX ? image->sizes[i] : 1;
        if (stride > INT32_MAX) return;
    }
    const bool has_one_row = image->sizes[1] == 1 && (image->sizes[2] == 1 || image->sizes[3] == 1);
    if (!is_contiguous && !has_one_row) layouts->unclear++;
}

static struct layouts layouts_of(const struct ets_finder *finder,
                                 const struct ets_delegation_step *step)
{
    struct ets_method method;
    struct ets_chain chain;
    struct ets_instruction instruction;
    struct ets_evalue value;
    struct layouts layouts = {0, 0, 0};
    ets_program_method(finder->subject->program, step->method, &method);
    ets_method_chain(&method, 0, &chain);
    ets_chain_instruction(&chain, step->instruction, &instruction);
    for (uint32_t i = 0; i < instruction.argument_count; i++) {
        ets_method_value(&method, ets_instruction_argument(&instruction, i), &value);
        if (ets_is_image(&value)) add_image(&layouts, &value.tensor.tensor);
    }
    return layouts;
}

static bool is_named(struct ets_text kernel, const char *const *names, size_t count)
{
    const struct ets_text name = ets_kernel_short_name(kernel);
    for (size_t i = 0; i < count; i++) {
        if (ets_text_is(name, names[i])) return true;
    }
    return false;
}

/* Kernels that read every layout as if it were contiguous. */
static bool reads_wrongly(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    static const char *const names[] = {"_log_softmax.out",  "flip.out",
                                        "gather.out",        "native_layer_norm.out",
                                        "scatter.value_out", "topk.values"};
    return line->step->kind == ETS_INSTRUCTION_KERNEL_CALL &&
           is_named(line->step->name, names, sizeof names / sizeof *names) &&
           layouts_of(finder, line->step).last > 0;
}

/* Kernels that refuse to read one layout and to write the other. */
static bool refuses_mixture(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    static const char *const names[] = {"_softmax.out",
                                        "amax.out",
                                        "cumsum.out",
                                        "index_select.out",
                                        "repeat.out",
                                        "select_copy.int_out",
                                        "slice_copy.Tensor_out",
                                        "split_with_sizes_copy.out"};
    const struct layouts layouts = layouts_of(finder, line->step);
    if (is_named(line->step->name, (const char *const[]){"native_group_norm.out"}, 1)) {
        return layouts.last > 0;
    }
    return layouts.last > 0 && layouts.contiguous > 0 &&
           is_named(line->step->name, names, sizeof names / sizeof *names);
}

/* XNNPACK transposes a tensor that it takes as contiguous, but the program says another order. */
static bool refuses_order(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    bool has_transpose = false;
    for (uint32_t i = 1; i <= line->step->unit_count && !has_transpose; i++) {
        has_transpose = ets_is_border_transpose(&line[i]);
    }
    return has_transpose && ets_text_is(line->step->name, "XnnpackBackend") &&
           layouts_of(finder, line->step).unclear > 0;
}

static bool is_refusing(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    if (line->step->kind == ETS_INSTRUCTION_KERNEL_CALL) return refuses_mixture(finder, line);
    return line->step->kind == ETS_INSTRUCTION_DELEGATE_CALL && refuses_order(finder, line);
}

typedef bool line_test(const struct ets_finder *finder, const struct ets_delegate_line *line);

/* Collects the instructions that a test holds for; the first is named. */
static bool collect(struct ets_finder *finder, line_test *test, struct ets_text *name)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (line->unit != ETS_NO_INDEX || !test(finder, line)) continue;
        if (finder->parts.calls == 0) *name = ets_kernel_short_name(line->step->name);
        if (!ets_parts_add(finder, line)) return false;
    }
    return true;
}

static bool add_wrong(struct ets_finder *finder, const char *kind, enum ets_check check)
{
    ets_parts_prove(finder);
    ets_find_propose(finder, "export with contiguous example inputs, not in channels_last");
    struct ets_finding finding = ets_finding_of_parts(finder, kind, ETS_SAVING_NONE, check);
    finding.severity = ETS_SEVERITY_BAD;
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.doubt = "another ExecuTorch than 1.5.1, with which it was seen, does it right";
    return ets_finding_add(finder, finding);
}

bool ets_find_wrong_layout(struct ets_finder *finder)
{
    struct ets_text name = {NULL, 0};
    if (!collect(finder, reads_wrongly, &name)) return false;
    if (finder->parts.calls == 0) return true;
    ets_find_say(finder,
                 "%.*s reads a tensor in channels_last as if it were contiguous: its values "
                 "are wrong",
                 ETS_TEXT(name));
    return add_wrong(finder, "wrong_layout", ETS_CHECK_NUMBERS);
}

bool ets_find_refused_layout(struct ets_finder *finder)
{
    struct ets_text name = {NULL, 0};
    if (!collect(finder, is_refusing, &name)) return false;
    if (finder->parts.calls == 0) return true;
    ets_find_say(
        finder,
        "the method loads, but its execution fails: %.*s refuses a tensor in the layout of "
        "channels_last",
        ETS_TEXT(name));
    return add_wrong(finder, "refused_layout", ETS_CHECK_EXECUTION);
}
