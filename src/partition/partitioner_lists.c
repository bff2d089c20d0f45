/* Looks operators up in the lists of partitioners. */
#include "partition/partitioner_lists.h"

#include <string.h>

#include "base/text.h"
#include "partition/partition_node.h"

static bool is_listed(struct ets_text name, const char *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        if (ets_text_is(name, list[i])) return true;
    }
    return false;
}

/* Removes the overload, if it is this one. */
static bool drop_overload(struct ets_text *name, const char *overload)
{
    const size_t size = strlen(overload);
    if (name->size <= size || memcmp(name->data + name->size - size, overload, size) != 0) {
        return false;
    }
    name->size -= size;
    return true;
}

/* Sizes are computed beside delegates; lists do not tell which. */
static bool computes_size(const struct ets_graph_node *node)
{
    return node->output_count > 0 && node->outputs[0].kind == ETS_ARGUMENT_SYMBOL;
}

/* Says what a list can say of an operator. */
static enum ets_outside_kind judge_by_list(struct ets_judgement *judgement, struct ets_text name,
                                           const char *const *list)
{
    if (computes_size(judgement->node)) return ETS_OUTSIDE_UNKNOWN;
    if (!is_listed(name, list)) {
        ets_refuse(judgement, "no_rule", NULL, "no rule");
        return ETS_OUTSIDE_NO_RULE;
    }
    ets_add_text(&judgement->reason, "taken in some cases; the conditions are not known here");
    return ETS_OUTSIDE_UNKNOWN;
}

enum ets_outside_kind ets_vulkan_judge(struct ets_judgement *judgement)
{
    struct ets_text name = judgement->node->op;
    (void)drop_overload(&name, ".default");
    return judge_by_list(judgement, name, ets_vulkan_operators);
}

enum ets_outside_kind ets_tosa_judge(struct ets_judgement *judgement)
{
    struct ets_text name = judgement->node->op;
    (void)drop_overload(&name, ".default");
    return judge_by_list(judgement, name, ets_tosa_operators);
}

/* coremltools' spelling: "mean.dim" of "aten.mean.dim", "add" of "aten.add.Tensor". */
static struct ets_text spell_converter(struct ets_text op, char *text, size_t room)
{
    static const char prefix[] = "aten.";
    static const char *const overloads[] = {".default",     ".int",    ".tensor",
                                            ".tensor_mode", ".scalar", ".tensor_scalar"};
    const size_t skipped = ets_text_starts_with(op, prefix) ? sizeof prefix - 1 : 0;
    struct ets_text name = {text, op.size - skipped};
    if (name.size > room) name.size = room; /* no name of the list is as long */
    for (size_t i = 0; i < name.size; i++) {
        const char c = op.data[skipped + i];
        text[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++) {
        if (drop_overload(&name, overloads[i])) break;
    }
    return name;
}

enum ets_outside_kind ets_coreml_judge(struct ets_judgement *judgement)
{
    char text[128];
    return judge_by_list(judgement, spell_converter(judgement->node->op, text, sizeof text),
                         ets_coreml_converters);
}
