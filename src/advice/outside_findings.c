/* Findings about kernels that run beside delegates: why, and what lets them in. */
#include <string.h>

#include "advice/finding_rules.h"
#include "advice/shared_lines.h"
#include "base/text.h"
#include "operators/operator_traits.h"

/* Operators or reasons that a method is examined for. */
enum { MOST_GROUPS = 200 };

/* Kernels that only move elements gain nothing in XNNPACK, by measurement (docs/advice.md). */
static bool gains_nothing(struct ets_text kernel)
{
    static const char *const names[] = {"slice", "constant_pad_nd", "clone", "_clone_dim_order",
                                        "et_view"};
    const struct ets_text base = ets_operator_base_name(kernel);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ets_text_is(base, names[i])) return true;
    }
    return false;
}

/* Written with operators that XNNPACK takes, it was slower (docs/advice.md). */
static bool is_slower_rewritten(struct ets_text kernel)
{
    return ets_text_is(ets_operator_base_name(kernel), "native_group_norm");
}

static const struct ets_outside *outside_of(const struct ets_finder *finder,
                                            const struct ets_delegate_line *line)
{
    return &finder->method.outsides[line->step->instruction];
}

/* The partitioner that decided: of a judged kernel. */
static const struct ets_partitioner *partitioner_of(const struct ets_finder *finder,
                                                    const struct ets_delegate_line *line)
{
    return outside_of(finder, line)->asked->items[0];
}

/* Whether what was measured with XNNPACK says something of this kernel. */
static bool is_of_xnnpack(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    return ets_text_is(ets_text_of(partitioner_of(finder, line)->backend), "XnnpackBackend");
}

static bool is_kernel(const struct ets_delegate_line *line)
{
    return line->unit == ETS_NO_INDEX && line->step->kind == ETS_INSTRUCTION_KERNEL_CALL;
}

/* Whether delegating it could save time, and no finding says how to do without it. */
static bool is_asked(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    return is_kernel(line) && line->step->output_count > 0 && !gains_nothing(line->step->name) &&
           !ets_kernel_is_deliberate(line->step->name) &&
           !finder->method.is_told[line->step->instruction];
}

/* Of a kernel that goes with a refused one, the reason of that one. */
static struct ets_text root_reason(struct ets_text reason)
{
    static const char with[] = "it goes with ", because[] = "which is refused: ";
    if (reason.size == 0 || !ets_text_starts_with(reason, with)) return reason;
    for (size_t i = 0; i + sizeof because <= reason.size; i++) {
        const struct ets_text rest = {reason.data + i, reason.size - i};
        if (ets_text_starts_with(rest, because)) {
            return (struct ets_text){rest.data + sizeof because - 1,
                                     rest.size - (sizeof because - 1)};
        }
    }
    return reason;
}

static bool is_root(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const struct ets_text reason = outside_of(finder, line)->reason;
    return reason.size == root_reason(reason).size;
}

/* Kernels without a rule belong together by name, refused ones by the reason. */
static bool is_alike(const struct ets_finder *finder, const struct ets_delegate_line *line,
                     const struct ets_delegate_line *first)
{
    const struct ets_outside *a = outside_of(finder, line), *b = outside_of(finder, first);
    if (!is_asked(finder, line) || a->kind != b->kind) return false;
    if (a->kind == ETS_OUTSIDE_NO_RULE) return ets_text_equal(line->step->name, first->step->name);
    return ets_text_equal(root_reason(a->reason), root_reason(b->reason));
}

/* Names of operators, each once. */
struct names {
    struct ets_text items[3];
    uint32_t count, more;
};

static void add_name(struct names *names, struct ets_text name)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (ets_text_equal(names->items[i], name)) return;
    }
    if (names->count == sizeof names->items / sizeof *names->items) names->more++;
    else names->items[names->count++] = name;
}

/* Ways to do without operators, each once, with the first operator of each. */
struct remedies {
    struct {
        struct ets_text kernel;
        const char *text;
    } items[8];
    uint32_t count, more;
};

static void add_remedy(struct remedies *remedies, struct ets_text kernel, const char *text)
{
    for (uint32_t i = 0; i < remedies->count; i++) {
        if (strcmp(remedies->items[i].text, text) == 0) return;
    }
    if (remedies->count == sizeof remedies->items / sizeof *remedies->items) {
        remedies->more++;
        return;
    }
    remedies->items[remedies->count].kernel = kernel;
    remedies->items[remedies->count++].text = text;
}

/* Kernels of one verdict in a method, as findings take them. */
struct asked {
    enum ets_outside_kind kind;
    const char *finding;          /* the kind of the findings */
    uint64_t *groups;             /* [line] of those that share a source line: shared_lines.h */
    uint8_t *is_done;             /* [line] */
    uint32_t *taken, taken_count; /* lines of the finding at hand */
    uint32_t found;
};

static bool is_left(const struct ets_finder *finder, const struct asked *asked, uint32_t line)
{
    const struct ets_delegate_line *at = &finder->method.lines.items[line];
    return !asked->is_done[line] && is_asked(finder, at) &&
           outside_of(finder, at)->kind == asked->kind;
}

/* What is told of some kernels: their names, and the ways to do without them. */
struct told {
    struct names names, helpless; /* these have no remedy */
    struct remedies remedies;
    bool by_line; /* they share a source line */
};

/* Collects what is like the line at `first`, or shares its source line; the kernels that are
 * refused themselves are named. */
static bool collect_alike(struct ets_finder *finder, struct asked *asked, uint32_t first,
                          struct told *told)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    told->names = told->helpless = (struct names){.count = 0};
    told->remedies = (struct remedies){.count = 0};
    asked->taken_count = 0;
    ets_parts_begin(finder);
    for (uint32_t i = first; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const bool is_like = told->by_line ? asked->groups[i] == asked->groups[first]
                                           : is_alike(finder, line, &lines->items[first]);
        if (!is_left(finder, asked, i) || !is_like) continue;
        asked->taken[asked->taken_count++] = i;
        const struct ets_text name = ets_kernel_short_name(line->step->name);
        const char *remedy = outside_of(finder, line)->remedy;
        /* What only says which elements another kernel takes goes with that one. */
        const bool is_condition = ets_operator_is(line->step->name, ETS_OPERATOR_COMPARE);
        if (is_root(finder, line)) add_name(&told->names, name);
        if (remedy != NULL) add_remedy(&told->remedies, name, remedy);
        else if (!is_condition) add_name(&told->helpless, name);
        if (!ets_parts_add(finder, line)) return false;
    }
    return true;
}

/* What kernels of a line need to have in common to be one thing to change: refused ones the remedy,
 * others that all or none of them should stay as they are. */
static struct ets_text family_of(const struct ets_outside *outside, struct ets_text kernel)
{
    if (outside->kind == ETS_OUTSIDE_REFUSED) return ets_text_of(outside->remedy);
    return ets_text_of(is_slower_rewritten(kernel) ? "slower" : "");
}

static bool find_shared_lines(struct ets_finder *finder, struct asked *asked)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    struct ets_line_key *keys = ets_arena_alloc_array(finder->arena, lines->count, sizeof *keys);
    uint32_t count = 0;
    if (keys == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (!is_left(finder, asked, i)) continue;
        const struct ets_delegate_line *line = &lines->items[i];
        const struct ets_outside *outside = outside_of(finder, line);
        const struct ets_graph_node *node = ets_kernel_node(finder, line->step->instruction);
        const struct ets_graph_frame *frame = node == NULL ? NULL : ets_graph_user_frame(node);
        if (frame == NULL) continue;
        const bool has_rule = asked->kind == ETS_OUTSIDE_REFUSED;
        if (has_rule && outside->remedy == NULL) continue;
        keys[count++] = (struct ets_line_key){
            .place = frame->place,
            .module = ets_graph_module_path(node),
            .family = family_of(outside, line->step->name),
            .name = has_rule ? root_reason(outside->reason) : line->step->name,
            .line = i};
    }
    ets_shared_lines_find(keys, count, asked->groups);
    return true;
}

/* "add.out stays", "18 calls of add.out stay", "gt.Scalar_out and where.self_out stay" */
static void say_names(struct ets_finder *finder, const struct names *names, const char *engine)
{
    const uint32_t calls = finder->parts.calls;
    const bool is_single = calls == 1;
    if (calls > names->count + names->more) ets_find_say(finder, "%u calls of ", calls);
    for (uint32_t i = 0; i < names->count; i++) {
        const bool is_last = i > 0 && i + 1 == names->count && names->more == 0;
        ets_find_say(finder, "%s%.*s",
                     i == 0    ? ""
                     : is_last ? " and "
                               : ", ",
                     ETS_TEXT(names->items[i]));
    }
    if (names->more > 0) ets_find_say(finder, " and others");
    ets_find_say(finder, " stay%s outside of %s", is_single ? "s" : "", engine);
}

static struct ets_finding finding_of_outside(struct ets_finder *finder, const char *kind,
                                             enum ets_confidence confidence)
{
    const bool is_advice = confidence != ETS_CONFIDENCE_UNSAID;
    struct ets_finding finding =
        ets_finding_of_parts(finder, kind, is_advice ? ETS_SAVING_BOUND : ETS_SAVING_NONE,
                             is_advice ? ETS_CHECK_DIFFERENCE : ETS_CHECK_NONE);
    finding.confidence = confidence;
    if (is_advice) {
        finding.doubt =
            "the change may add copies at the borders of the new partition; a "
            "partitioner that was told to leave it out is not seen";
    }
    return finding;
}

/* With fixed sizes delegates need not look at the sizes of each run, either. */
static void add_resizing(const struct ets_finder *finder, struct ets_finding *finding,
                         const char *remedy)
{
    static const char fixed[] = "fixed sizes";
    const struct ets_delegate_lines *lines = &finder->method.lines;
    if (remedy == NULL || strncmp(remedy, fixed, sizeof fixed - 1) != 0) return;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (line->unit != ETS_NO_INDEX || line->step->kind != ETS_INSTRUCTION_DELEGATE_CALL) {
            continue;
        }
        ets_saving_add(finder, finding, line->middle);
    }
}

static void propose_measuring(struct ets_finder *finder, const char *engine)
{
    ets_find_propose(finder,
                     "measure before rewriting it with operators that %s takes: that may be slower",
                     engine);
}

/* All ways to do without some kernels: several say which of them they are for. */
static void propose_remedies(struct ets_finder *finder, const struct told *told, const char *engine)
{
    const struct remedies *remedies = &told->remedies;
    const uint32_t helpless = told->helpless.count + told->helpless.more;
    for (uint32_t i = 0; i < remedies->count; i++) {
        if (i > 0) ets_find_propose(finder, "; ");
        if (remedies->count > 1 || helpless > 0) {
            ets_find_propose(finder, "%.*s: ", ETS_TEXT(remedies->items[i].kernel));
        }
        ets_find_propose(finder, "%s", remedies->items[i].text);
    }
    if (remedies->more > 0) ets_find_propose(finder, "; others have remedies of their own");
    if (helpless == 0) return;
    if (helpless == 1) ets_find_propose(finder, "; %.*s: ", ETS_TEXT(told->helpless.items[0]));
    else ets_find_propose(finder, "; the others: ");
    propose_measuring(finder, engine);
}

/* Without a remedy: what is known to be no gain is told, but not proposed. */
static enum ets_confidence tell_helpless(struct ets_finder *finder,
                                         const struct ets_delegate_line *line)
{
    const bool was_measured = is_of_xnnpack(finder, line);
    if (was_measured && ets_text_is(line->step->name, "aten::_softmax.out")) { /* of an image */
        ets_find_say(finder,
                     ", and should be left so: behind a convolution XNNPACK computes the last "
                     "dimension wrongly");
        return ETS_CONFIDENCE_UNSAID;
    }
    if (was_measured && is_slower_rewritten(line->step->name)) {
        ets_find_say(
            finder,
            ", and written with those that it has, it was slower in the two sizes that "
            "were tried; batch norm, which needs training again, folds into a convolution");
        return ETS_CONFIDENCE_UNSAID;
    }
    propose_measuring(finder, partitioner_of(finder, line)->engine);
    return ETS_CONFIDENCE_LOW;
}

static bool add_outside(struct ets_finder *finder, const struct ets_delegate_line *line,
                        const struct told *told, const char *kind)
{
    const struct ets_outside *outside = outside_of(finder, line);
    const char *engine = partitioner_of(finder, line)->engine;
    enum ets_confidence confidence = ETS_CONFIDENCE_MEDIUM;
    say_names(finder, &told->names, engine);
    ets_parts_say_share(finder);
    if (outside->kind == ETS_OUTSIDE_NO_RULE) {
        ets_find_say(finder, ": %s has no such operator%s", engine,
                     told->names.count > 1 ? "s" : "");
    } else {
        ets_find_say(finder, ": %.*s", ETS_TEXT(root_reason(outside->reason)));
    }
    ets_parts_prove(finder);
    ets_find_evidence(finder, "; by the %s of %s", partitioner_of(finder, line)->basis,
                      partitioner_of(finder, line)->release);
    if (told->remedies.count > 0) {
        propose_remedies(finder, told, engine);
        if (told->helpless.count > 0) confidence = ETS_CONFIDENCE_LOW;
    } else {
        confidence = tell_helpless(finder, line);
    }
    struct ets_finding finding = finding_of_outside(finder, kind, confidence);
    add_resizing(finder, &finding, outside->remedy);
    return ets_finding_add(finder, finding);
}

/* Whether a program without delegates has something that XNNPACK would take. */
static bool could_delegate(const struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    for (uint32_t i = 0; i < lines->count && !finder->method.has_delegate; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (is_asked(finder, line) && outside_of(finder, line)->kind == ETS_OUTSIDE_TAKEN) {
            return true;
        }
    }
    return false;
}

/* Whether they take less than the delegate calls that would take their place, one for each row of
 * neighbours. What a call takes was measured (docs/advice.md). */
static bool are_shorter_than_calls(const struct ets_finder *finder)
{
    static const double CALL_NS = 500;
    const struct ets_finding_parts *parts = &finder->parts;
    uint32_t calls = parts->instruction_count > 0;
    for (uint32_t i = 1; i < parts->instruction_count; i++) {
        calls += parts->instructions[i] > parts->instructions[i - 1] + 1;
    }
    return ets_method_tells_time(finder) && parts->is_timed &&
           parts->ticks.upper * finder->blocks.tick_ns < CALL_NS * calls;
}

/* A finding for each operator or reason, or for all kernels that share a source line. */
static bool add_groups(struct ets_finder *finder, struct asked *asked, bool by_line)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    struct told told = {.by_line = by_line};
    for (uint32_t i = 0; i < lines->count && asked->found < MOST_GROUPS; i++) {
        if (!is_left(finder, asked, i) || (by_line && asked->groups[i] == 0)) continue;
        asked->found++;
        if (!collect_alike(finder, asked, i, &told)) return false;
        const bool is_small = !ets_parts_are_large(finder) ||
                              (finder->parts.joined == 0 && are_shorter_than_calls(finder));
        if (!is_small && !add_outside(finder, &lines->items[i], &told, asked->finding)) {
            return false;
        }
        for (uint32_t k = 0; k < asked->taken_count; k++) {
            /* With others of its name a small one may be more. */
            if (is_small && by_line) asked->groups[asked->taken[k]] = 0;
            else asked->is_done[asked->taken[k]] = 1;
        }
    }
    return true;
}

/* Kernels of one verdict. */
static bool find_outside(struct ets_finder *finder, enum ets_outside_kind kind, const char *name)
{
    const uint32_t count = finder->method.lines.count;
    struct asked asked = {.kind = kind, .finding = name};
    if (could_delegate(finder)) return true; /* which comes first: ets_find_not_delegated */
    if (kind == ETS_OUTSIDE_NO_RULE && !finder->method.has_delegate) return true; /* none to join */
    asked.is_done = ets_arena_alloc_array(finder->arena, count, 1);
    asked.groups = ets_arena_alloc_array(finder->arena, count, sizeof *asked.groups);
    asked.taken = ets_arena_alloc_array(finder->arena, count, sizeof *asked.taken);
    return asked.is_done != NULL && asked.groups != NULL && asked.taken != NULL &&
           find_shared_lines(finder, &asked) && add_groups(finder, &asked, true) &&
           add_groups(finder, &asked, false);
}

bool ets_find_refused(struct ets_finder *finder)
{
    return find_outside(finder, ETS_OUTSIDE_REFUSED, "refused_by_partitioner");
}

bool ets_find_without_rule(struct ets_finder *finder)
{
    return find_outside(finder, ETS_OUTSIDE_NO_RULE, "no_rule_of_partitioner");
}

/* Kernels that go with those that a delegate takes, but are not named. */
static void add_other_kernels(struct ets_finder *finder, struct ets_finding *finding,
                              enum ets_outside_kind kind)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    const struct ets_finding_parts *parts = &finder->parts;
    for (uint32_t i = 0, at = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        const uint32_t instruction = line->step->instruction;
        if (!is_kernel(line)) continue;
        if (outside_of(finder, line)->kind != kind && !finder->method.is_told[instruction])
            continue;
        while (at < parts->instruction_count && parts->instructions[at] < instruction) at++;
        if (at < parts->instruction_count && parts->instructions[at] == instruction) continue;
        ets_saving_add(finder, finding, line->middle + finder->method.between);
    }
}

/* What XNNPACK would take, but compute wrongly. */
static bool add_unwise(struct ets_finder *finder)
{
    ets_find_say(finder, ", but would use int8 weights without their scales");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "nothing_delegated", ETS_SAVING_NONE, ETS_CHECK_NONE);
    finding.confidence = ETS_CONFIDENCE_UNSAID;
    return ets_finding_add(finder, finding);
}

/* A program without any delegate, of which XNNPACK would take something. */
bool ets_find_not_delegated(struct ets_finder *finder)
{
    const struct ets_delegate_lines *lines = &finder->method.lines;
    uint32_t kernels = 0;
    if (finder->method.has_delegate) return true;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        kernels += is_kernel(line);
        if (!is_asked(finder, line) || outside_of(finder, line)->kind != ETS_OUTSIDE_TAKEN)
            continue;
        if (!ets_parts_add(finder, line)) return false;
    }
    if (!ets_parts_are_large(finder) || are_shorter_than_calls(finder)) return true;
    ets_find_say(finder, "nothing is delegated; XNNPACK would take %u of %u kernel%s",
                 finder->parts.calls, kernels, kernels == 1 ? "" : "s");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    if (ets_loses_scales(finder)) return add_unwise(finder);
    ets_find_propose(finder,
                     "to_edge_transform_and_lower(program, "
                     "partitioner=[XnnpackPartitioner()])");
    struct ets_finding finding =
        ets_finding_of_parts(finder, "nothing_delegated", ETS_SAVING_BOUND, ETS_CHECK_DIFFERENCE);
    add_other_kernels(finder, &finding, ETS_OUTSIDE_TAKEN);
    finding.doubt = "the device may not have XNNPACK, which does not run on microcontrollers";
    return ets_finding_add(finder, finding);
}

/* How products get into a delegate, by what is known of why they are outside. */
static const char *way_into_delegate(const struct ets_finder *finder, bool has_conditions)
{
    if (finder->subject->record == NULL) {
        return "delegate them; the ETRecord of the export tells why they are left out";
    }
    return has_conditions
               ? "delegate them: the partitioner takes such operators in some cases; its "
                 "messages at the export say why not here"
               : "delegate them, if they can be moved out of branches and loops";
}

/* Without a record no rule can say why; the kernel's name says that it is slow. */
bool ets_find_portable_products(struct ets_finder *finder)
{
    enum { LARGE_BYTES = 16 << 10 };
    const struct ets_delegate_lines *lines = &finder->method.lines;
    uint64_t bytes = 0;
    bool has_conditions = false;
    ets_parts_begin(finder);
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_delegate_line *line = &lines->items[i];
        if (!is_kernel(line) || !ets_operator_is(line->step->name, ETS_OPERATOR_MULTIPLICATION) ||
            outside_of(finder, line)->kind != ETS_OUTSIDE_UNKNOWN) {
            continue;
        }
        bytes += line->step->input_bytes + line->step->output_bytes;
        has_conditions = has_conditions || outside_of(finder, line)->reason.data != NULL;
        if (!ets_parts_add(finder, line)) return false;
    }
    if (!ets_parts_are_large(finder) || (!finder->parts.is_timed && bytes < LARGE_BYTES)) {
        return true;
    }
    ets_find_say(finder, "%u matrix product%s or convolution%s run%s as kernels, not in a delegate",
                 finder->parts.calls, finder->parts.calls == 1 ? "" : "s",
                 finder->parts.calls == 1 ? "" : "s", finder->parts.calls == 1 ? "s" : "");
    ets_parts_say_share(finder);
    ets_parts_prove(finder);
    ets_find_propose(finder, "%s", way_into_delegate(finder, has_conditions));
    struct ets_finding finding =
        ets_finding_of_parts(finder, "products_as_kernels", ETS_SAVING_BOUND, ETS_CHECK_DELEGATES);
    add_other_kernels(finder, &finding, ETS_OUTSIDE_UNKNOWN);
    finding.doubt = "the device may have no delegate";
    return ets_finding_add(finder, finding);
}
