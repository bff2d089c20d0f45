/* Matches rows against a filter: names, modules, lines, handles, backends. */
#include "etscope/experimental/row_filter.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "inspect/names.h"

int ets_row_filter_is_empty(const struct ets_row_filter *filter)
{
    return filter->name == NULL && filter->module == NULL && filter->source == NULL &&
           filter->backend == NULL && filter->handle_count == 0;
}

int ets_row_filter_has_block(const struct ets_row_filter *filter, const struct ets_block *block)
{
    if (filter->method == NULL) return 1;
    if (block->method != NULL) return strcmp(block->method, filter->method) == 0;
    return block->method_state != ETS_METHOD_MISMATCH;
}

int ets_pattern_matches(const char *pattern, struct ets_text text)
{
    const char *star = NULL; /* the last one, which takes as little as it can */
    size_t at = 0, after_star = 0;
    if (text.data == NULL) return 0;
    while (at < text.size) {
        if (*pattern == '*') {
            star = pattern++;
            after_star = at;
        } else if (*pattern != '\0' && (*pattern == '?' || *pattern == text.data[at])) {
            pattern++;
            at++;
        } else if (star != NULL) {
            pattern = star + 1;
            at = ++after_star;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

int ets_operator_matches(const char *pattern, struct ets_text name)
{
    if (ets_pattern_matches(pattern, name)) return 1;
    while (name.size > 0 && name.data[name.size - 1] != '.') name.size--;
    if (name.size == 0) return 0;
    return ets_pattern_matches(pattern, (struct ets_text){name.data, name.size - 1});
}

int ets_path_ends_with(struct ets_text path, const char *end)
{
    const size_t size = strlen(end);
    if (path.data == NULL || size == 0 || path.size < size ||
        memcmp(path.data + path.size - size, end, size) != 0) {
        return 0;
    }
    if (path.size == size) return 1;
    const char before = path.data[path.size - size - 1];
    return before == '/' || before == '\\' || end[0] == '/';
}

struct ets_text ets_row_operator(const struct ets_row *row)
{
    const struct ets_text kernel = ets_row_kernel(row);
    if (kernel.data != NULL) return kernel;
    if (ets_text_is(row->name, "OPERATOR_CALL") && row->kernel.size > 0) return row->kernel;
    /* XNNPACK's names of look-up tables say nothing; the payload's nodes do. */
    return ets_text_starts_with(row->name, "Invalid ") ? row->operation : row->name;
}

const char *ets_row_backend(const struct ets_row *row)
{
    if (row->backend != NULL) return row->backend;
    return ets_text_is(row->name, "DELEGATE_CALL") || row->is_delegated ? "delegate" : "portable";
}

/* The module's path or one above it: of "a.b.c" also "a.b" and "a", and "" as "(model)". */
static bool module_matches(const char *pattern, struct ets_text path)
{
    if (path.data == NULL) return false;
    if (ets_pattern_matches(pattern, (struct ets_text){"(model)", 7})) return true;
    while (path.size > 0) {
        if (ets_pattern_matches(pattern, path)) return true;
        while (path.size > 0 && path.data[path.size - 1] != '.') path.size--;
        if (path.size > 0) path.size--;
    }
    return false;
}

static bool any_module(const struct ets_row_filter *filter, const struct ets_row *row)
{
    for (size_t i = 0; i < row->node_count; i++) {
        if (module_matches(filter->module, ets_graph_module_path(row->nodes[i].node))) return true;
    }
    return false;
}

static bool any_line(const struct ets_row_filter *filter, const struct ets_row *row)
{
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_frame *frame = ets_graph_user_frame(row->nodes[i].node);
        if (frame != NULL && ets_path_ends_with(frame->file, filter->source) &&
            (filter->source_line == 0 || filter->source_line == frame->line)) {
            return true;
        }
    }
    return false;
}

static bool any_handle(const struct ets_row_filter *filter, const struct ets_row *row)
{
    for (size_t i = 0; i < row->handle_count; i++) {
        for (size_t k = 0; k < filter->handle_count; k++) {
            if (row->handles[i] == filter->handles[k]) return true;
        }
    }
    return false;
}

static bool is_framework(const struct ets_row *row)
{
    return row->chain == -1;
}

int ets_row_filter_matches(const struct ets_row_filter *filter,
                           const struct ets_inspection *inspection, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    const struct ets_block *block = ets_inspection_block(inspection, row->block);
    if (!ets_row_filter_has_block(filter, block)) return 0;
    if (filter->name != NULL && !ets_operator_matches(filter->name, ets_row_operator(row)) &&
        !ets_operator_matches(filter->name, row->name) &&
        !ets_operator_matches(filter->name, row->kernel)) {
        return 0;
    }
    if (filter->backend != NULL) {
        const char *backend = ets_row_backend(row);
        const struct ets_text text = {backend, strlen(backend)};
        if (is_framework(row) || !ets_pattern_matches(filter->backend, text)) return 0;
    }
    return (filter->module == NULL || any_module(filter, row)) &&
           (filter->source == NULL || any_line(filter, row)) &&
           (filter->handle_count == 0 || any_handle(filter, row));
}
