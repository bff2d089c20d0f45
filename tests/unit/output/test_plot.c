/* Pictures of traces without memory: each allocation may fail, which is told and loses nothing. */
#include "test_model_support.h"

#include "compare/pool_parts.h"
#include "etscope/experimental/difference.h"
#include "output/picture/bitmap_font.h"
#include "output/picture/icicle_picture.h"
#include "output/picture/runs_picture.h"
#include "output/picture/timeline_picture.h"
#include "output/picture/waterfall_picture.h"

/* What pictures are made of: a trace with its model, and its difference to itself. */
struct subject {
    struct model model;
    struct ets_pool *pool;
    struct ets_difference *difference;
};

/* Draws something of the subject. */
typedef enum ets_status draw_picture(const struct subject *subject,
                                     const struct ets_plot_options *options,
                                     const struct ets_allocator *allocator,
                                     struct ets_output *output, struct ets_error *error);

static void open_subject(const char *name, struct subject *s)
{
    const struct ets_difference_options options = {.least_change = 0.01};
    open_model(name, &s->model);
    const struct ets_inspection *const one[] = {s->model.inspection};
    assert_int_equal(ets_pool_open(one, 1, NULL, &s->pool, NULL), ETS_OK);
    assert_int_equal(ets_difference_open(s->pool, s->pool, &options, &s->difference, NULL), ETS_OK);
}

static void close_subject(struct subject *s)
{
    ets_difference_close(s->difference);
    ets_pool_close(s->pool);
    close_model(&s->model);
}

static enum ets_status draw_with(const struct ets_allocator *allocator, draw_picture *draw,
                                 const struct subject *s, enum ets_picture_format format,
                                 struct ets_error *error)
{
    const struct ets_plot_options options = {
        .picture = {format, ETS_PICTURE_LEAST}, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    struct ets_output *output;
    char *data;
    size_t size;
    assert_int_equal(ets_output_open_memory(&output, &data, &size, NULL), ETS_OK);
    const enum ets_status status = draw(s, &options, allocator, output, error);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    if (status == ETS_OK) assert_true(size > 500);
    ets_output_free(data);
    return status;
}

static void assert_failures_are_told(const char *model, draw_picture *draw,
                                     enum ets_picture_format format)
{
    struct subject s;
    open_subject(model, &s);
    enum ets_status status = ETS_NO_MEMORY;
    unsigned long n = 0;
    for (; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        status = draw_with(&allocator, draw, &s, format, &error);
        assert_int_equal(status, error.status);
        if (status == ETS_OK) assert_true(failing.calls <= n); /* nothing was left out */
        else assert_int_equal(status, ETS_NO_MEMORY);
        if (status != ETS_OK) assert_memory_equal(error.message, "no memory for ", 14);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
    assert_true(n > 1);
    close_subject(&s);
}

static enum ets_status draw_modules(const struct subject *s, const struct ets_plot_options *options,
                                    const struct ets_allocator *allocator,
                                    struct ets_output *output, struct ets_error *error)
{
    return ets_icicle_picture_write(s->model.inspection, options, true, allocator, output, error);
}

static enum ets_status draw_calls(const struct subject *s, const struct ets_plot_options *options,
                                  const struct ets_allocator *allocator, struct ets_output *output,
                                  struct ets_error *error)
{
    return ets_icicle_picture_write(s->model.inspection, options, false, allocator, output, error);
}

static enum ets_status draw_runs(const struct subject *s, const struct ets_plot_options *options,
                                 const struct ets_allocator *allocator, struct ets_output *output,
                                 struct ets_error *error)
{
    return ets_runs_picture_write(s->model.inspection, options, allocator, output, error);
}

static enum ets_status draw_timeline(const struct subject *s,
                                     const struct ets_plot_options *options,
                                     const struct ets_allocator *allocator,
                                     struct ets_output *output, struct ets_error *error)
{
    return ets_timeline_picture_write(s->model.inspection, options, allocator, output, error);
}

static enum ets_status draw_waterfall(const struct subject *s,
                                      const struct ets_plot_options *options,
                                      const struct ets_allocator *allocator,
                                      struct ets_output *output, struct ets_error *error)
{
    return ets_waterfall_picture_write(s->difference, &options->picture, allocator, output, error);
}

static draw_picture *const pictures[] = {draw_modules, draw_calls, draw_runs, draw_timeline,
                                         draw_waterfall};

static void test_plot__failing_memory_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        assert_failures_are_told("gpt_xnnpack", pictures[i], ETS_PICTURE_SVG);
        assert_failures_are_told("multi_method", pictures[i], ETS_PICTURE_SVG);
        assert_failures_are_told("multi_method", pictures[i], ETS_PICTURE_PNG);
    }
}

/* No two characters look alike, and only the space is blank. */
static void test_plot__the_font_has_all_of_ascii(void **state)
{
    (void)state;
    for (char a = ' '; a <= '~'; a++) {
        for (char b = ' '; b < a; b++) {
            assert_memory_not_equal(ets_glyph(a), ets_glyph(b), ETS_GLYPH_HEIGHT);
        }
    }
    assert_ptr_equal(ets_glyph('\t'), ets_glyph(' '));
    assert_ptr_equal(ets_glyph((char)0x80), ets_glyph(' '));
    assert_ptr_equal(ets_glyph((char)0x7f), ets_glyph(' '));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot__failing_memory_is_told),
        cmocka_unit_test(test_plot__the_font_has_all_of_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
