/* Sizes told as text: what sympy prints, what it never would, and symbols found from sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/size_expression.h"

struct table {
    struct ets_arena arena;
    struct ets_size_symbols symbols;
};

static struct ets_text text_of(const char *text)
{
    return (struct ets_text){text, strlen(text)};
}

static int open_table(void **state)
{
    static struct table table;
    ets_arena_init(&table.arena, NULL, 0);
    if (ets_size_symbols_init(&table.symbols, &table.arena) != ETS_OK) return -1;
    static const char *const NAMES[] = {"s0", "s27", "u0"};
    static const int64_t VALUES[] = {7, 12, 5};
    for (size_t i = 0; i < 3; i++) {
        if (ets_size_symbols_add(&table.symbols, text_of(NAMES[i])) != ETS_OK) return -1;
        ets_size_symbol_set(&table.symbols, text_of(NAMES[i]), VALUES[i]);
    }
    *state = &table;
    return 0;
}

static int close_table(void **state)
{
    ets_arena_reset(&((struct table *)*state)->arena);
    return 0;
}

static void test_values(void **state)
{
    const struct ets_size_symbols *symbols = &((struct table *)*state)->symbols;
    static const struct {
        const char *text;
        int64_t value;
    } CASES[] = {
        {"4", 4},
        {"s27", 12},
        {"s27 + u0", 17},
        {"2*s0", 14},
        {"2*s0 + 1", 15},
        {"-s0 + 8", 1},
        {"s0 - 2*u0 + s27", 9},
        {"(s0//2)", 3},
        {"((-s0)//2)", -4},
        {"s0//2 + (s27 - 1)//5", 5},
        {"s0**2", 49},
        {"-s0**2", -49},
        {"2**-1*4", 2},
        {"s27/4", 3},
        {"4*(s27/4) + 2*(s0/2)", 19},
        {"Max(1, u0)", 5},
        {"Min(s0, s27, u0)", 5},
        {"Mod(s0, 4)", 3},
        {"Mod(-s0, 4)", 1},
        {"PythonMod(s27, u0)", 2},
        {"(s0 % 4)", 3},
        {"FloorDiv(s27, 5)", 2},
        {"CeilDiv(s27, 5)", 3},
        {"CleanDiv(s27, 4)", 3},
        {"CeilToInt(IntTrueDiv(s0, 2))", 4},
        {"FloorToInt(IntTrueDiv(-s0, 2))", -4},
        {"TruncToInt(IntTrueDiv(-s0, 2))", -3},
        {"TruncToInt(1.5*ToFloat(s0))", 10},
        {"RoundToInt(2.5)", 2},
        {"RoundToInt(3.5)", 4},
        {"RoundToInt(IntTrueDiv(s0, 3))", 2},
        {"floor(s0/2)", 3},
        {"ceiling(s0/2)", 4},
        {"PowByNatural(s0, 2)", 49},
        {"ModularIndexing(s27, 2, 4)", 2},
        {"Abs(u0 - s27)", 7},
        {"Identity(s0)", 7},
        {" s0 ", 7},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        int64_t value = -1;
        const enum ets_status status = ets_size_evaluate(symbols, text_of(CASES[i].text), &value);
        if (status != ETS_OK || value != CASES[i].value) print_error("%s\n", CASES[i].text);
        assert_int_equal(status, ETS_OK);
        assert_int_equal(value, CASES[i].value);
    }
}

static void test_refusals(void **state)
{
    const struct ets_size_symbols *symbols = &((struct table *)*state)->symbols;
    static const struct {
        const char *text;
        enum ets_status status;
    } CASES[] = {
        {"", ETS_MALFORMED},
        {"+", ETS_MALFORMED},
        {"s0 s0", ETS_MALFORMED},
        {"s0/2", ETS_MALFORMED}, /* no whole number */
        {"s0/0", ETS_MALFORMED},
        {"s0//0", ETS_MALFORMED},
        {"Mod(s0, 0)", ETS_MALFORMED},
        {"f(s0)", ETS_MALFORMED},
        {"Max()", ETS_MALFORMED},
        {"Max(1", ETS_MALFORMED},
        {"u0 >= 2", ETS_MALFORMED},
        {"1e5", ETS_MALFORMED},
        {"s1", ETS_NOT_FOUND},
        {"s0*u9", ETS_NOT_FOUND},
        {"9223372036854775807 + s0", ETS_LIMIT},
        {"99999999999999999999", ETS_LIMIT},
        {"s0**64", ETS_LIMIT},
        {"s0**60", ETS_LIMIT},
        {"9223372036854775807*s0", ETS_LIMIT},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        int64_t value = 0;
        if (ets_size_evaluate(symbols, text_of(CASES[i].text), &value) != CASES[i].status) {
            print_error("%s\n", CASES[i].text);
        }
        assert_int_equal(ets_size_evaluate(symbols, text_of(CASES[i].text), &value),
                         CASES[i].status);
    }
    char deep[600];
    memset(deep, '(', sizeof deep);
    int64_t value;
    assert_int_equal(ets_size_evaluate(symbols, (struct ets_text){deep, sizeof deep}, &value),
                     ETS_LIMIT);
    memset(deep, '-', sizeof deep);
    assert_int_equal(ets_size_evaluate(symbols, (struct ets_text){deep, sizeof deep}, &value),
                     ETS_LIMIT);
}

/* Whatever is left of an expression is read up to its end and no further. */
static void test_cuts(void **state)
{
    struct table *table = *state;
    static const char TEXT[] = "Max(1, 2*s0 - (s27//4))*Mod(u0, 3)**2 + 1.50*ToFloat(2*u0)";
    int64_t value = 0;
    for (size_t size = 0; size < sizeof TEXT - 1; size++) {
        char *exact =
            test_malloc(size > 0 ? size : 1); /* an allocation that ends where the text does */
        memcpy(exact, TEXT, size);
        const struct ets_text text = {exact, size};
        assert_int_equal(ets_size_symbols_add(&table->symbols, text), ETS_OK);
        const enum ets_status status = ets_size_evaluate(&table->symbols, text, &value);
        assert_true(status == ETS_OK || status == ETS_MALFORMED || status == ETS_NOT_FOUND);
        (void)ets_size_bind(&table->symbols, text, 3);
        assert_int_equal(close_table(state), 0); /* names point into the text */
        test_free(exact);
        assert_int_equal(open_table(state), 0);
    }
    assert_int_equal(ets_size_evaluate(&table->symbols, text_of(TEXT), &value), ETS_OK);
    assert_int_equal(value, 11 * 4 + 15);
}

static void test_binding(void **state)
{
    struct ets_size_symbols *symbols = &((struct table *)*state)->symbols;
    int64_t value;
    ets_size_symbols_forget(symbols);
    assert_int_equal(ets_size_evaluate(symbols, text_of("s0"), &value), ETS_NOT_FOUND);
    assert_int_equal(ets_size_bind(symbols, text_of("s0"), 9), ETS_OK);
    assert_int_equal(ets_size_bind(symbols, text_of("s0"), 9), ETS_OK);
    assert_int_equal(ets_size_bind(symbols, text_of("s0"), 8), ETS_MISMATCH);
    assert_int_equal(ets_size_bind(symbols, text_of("2*s27 + s0"), 21), ETS_OK);
    assert_int_equal(ets_size_evaluate(symbols, text_of("s27"), &value), ETS_OK);
    assert_int_equal(value, 6);
    assert_int_equal(ets_size_bind(symbols, text_of("4*u0"), 6), ETS_MISMATCH);
    assert_int_equal(ets_size_bind(symbols, text_of("u0*u0"), 5), ETS_MISMATCH);
    assert_int_equal(ets_size_bind(symbols, text_of("u0 + u1"), 5), ETS_NOT_FOUND);
    assert_int_equal(ets_size_evaluate(symbols, text_of("u0"), &value), ETS_NOT_FOUND);
    ets_size_symbol_set(symbols, text_of("u0"), 3);
    assert_int_equal(ets_size_evaluate(symbols, text_of("u0"), &value), ETS_OK);
    assert_int_equal(value, 3);
    ets_size_symbol_set(symbols, text_of("2*u0"), 8); /* no symbol alone: nothing happens */
    assert_int_equal(ets_size_evaluate(symbols, text_of("u0"), &value), ETS_OK);
    assert_int_equal(value, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, open_table, close_table),
        cmocka_unit_test_setup_teardown(test_refusals, open_table, close_table),
        cmocka_unit_test_setup_teardown(test_cuts, open_table, close_table),
        cmocka_unit_test_setup_teardown(test_binding, open_table, close_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
