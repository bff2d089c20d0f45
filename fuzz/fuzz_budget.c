/* Reads any bytes as a budget; every error states a place in the text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "etscope/experimental/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

static int lies_in(struct ets_text text, const uint8_t *data, size_t size)
{
    const uint8_t *start = (const uint8_t *)text.data;
    return text.size == 0 || (start >= data && start + text.size <= data + size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_budget *budget = NULL;
    struct ets_error error;
    if (ets_budget_open((struct ets_bytes){data, size}, NULL, &budget, &error) != ETS_OK) {
        check(error.message[0] != '\0');
        check(error.offset == ETS_NO_OFFSET || error.offset <= size);
        return 0;
    }
    for (uint32_t i = 0; i < ets_budget_rule_count(budget); i++) {
        const struct ets_budget_rule *rule = ets_budget_rule(budget, i);
        check(lies_in(rule->pattern, data, size) && lies_in(rule->scope, data, size));
        check(rule->bound_count > 0 && rule->bound_count <= ETS_BUDGET_MAX_BOUNDS);
        for (uint32_t k = 0; k < rule->bound_count; k++) {
            check(rule->bounds[k].value == rule->bounds[k].value);
        }
        check(rule->text.size > 0 && rule->line > 0);
    }
    ets_budget_close(budget);
    return 0;
}
