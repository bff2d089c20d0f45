/*
 * The same program under etscope's tracer and under ETDumpGen, on a clock that advances by a fixed
 * step with each reading: times are the same, too, but for the readings at the begin of a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include "etscope/executorch.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wshadow" /* C's functions named as structs */
#endif
#include "etscope/etdump.h"

/* cmocka.h needs the headers above, and redefines words that they use. */
extern "C" {
#include <cmocka.h>
}

namespace
{
using executorch::extension::Module;
using executorch::runtime::EValue;

uint64_t ticks;

et_timestamp_t read_script()
{
    return ticks += 10;
}

void drop_line(et_timestamp_t, et_pal_log_level_t, const char *, const char *, size_t, const char *,
               size_t)
{
}

/* Zeros of each input's shape and type. */
std::vector<EValue> make_inputs(Module &module,
                                std::vector<executorch::extension::TensorPtr> &tensors)
{
    std::vector<EValue> inputs;
    const auto meta = module.method_meta("forward");
    assert_true(meta.ok());
    for (size_t i = 0; i < meta->num_inputs(); i++) {
        const auto info = meta->input_tensor_meta(i);
        assert_true(info.ok());
        tensors.push_back(executorch::extension::zeros({info->sizes().begin(), info->sizes().end()},
                                                       info->scalar_type()));
        inputs.emplace_back(*tensors.back());
    }
    return inputs;
}

/* Runs the model three times; the dump is the caller's to free. */
template <typename Tracer>
struct ets_bytes trace(const char *path)
{
    auto owned = std::make_unique<Tracer>();
    Tracer &tracer = *owned;
    Module module(path, Module::LoadMode::File, std::move(owned));
    std::vector<executorch::extension::TensorPtr> tensors;
    const std::vector<EValue> inputs = make_inputs(module, tensors);
    ticks = 0;
    for (int i = 0; i < 3; i++) assert_true(module.forward(inputs).ok());
    const executorch::etdump::ETDumpResult dump = tracer.get_etdump_data();
    assert_non_null(dump.buf);
    return {static_cast<const uint8_t *>(dump.buf), dump.size};
}

void compare(const struct ets_etdump &ours, const struct ets_etdump &upstream, uint32_t index)
{
    struct ets_etdump_run a, b;
    uint64_t shift = 0;
    ets_etdump_run(&ours, index, &a);
    ets_etdump_run(&upstream, index, &b);
    assert_int_equal(a.event_count, b.event_count);
    for (uint32_t i = 0; i < a.event_count; i++) {
        struct ets_etdump_event event, expected;
        ets_etdump_event(&ours, &a, i, &event);
        ets_etdump_event(&upstream, &b, i, &expected);
        if (i == 0) shift = event.start_ticks - expected.start_ticks;
        assert_int_equal(event.name.size, expected.name.size);
        assert_memory_equal(event.name.data, expected.name.data, event.name.size);
        assert_int_equal(event.start_ticks - expected.start_ticks, shift);
        assert_int_equal(event.end_ticks - expected.end_ticks, shift);
    }
    assert_int_equal(shift % 10, 0);
}

void test_scripted__times_are_the_same(void **)
{
    static const char *const paths[] = {TEST_DATA "/mlp_portable/model.pte",
                                        TEST_DATA "/conv_portable/model.pte",
                                        TEST_DATA "/map_loop/model.pte"};
    /* The first run of all logs what CPU it found, with the time. */
    free(const_cast<uint8_t *>(trace<etscope::ETDumpTracer>(paths[0]).data));
    for (const char *path : paths) {
        const struct ets_bytes ours = trace<etscope::ETDumpTracer>(path);
        const struct ets_bytes upstream = trace<executorch::etdump::ETDumpGen>(path);
        struct ets_etdump our_dump, upstream_dump;
        assert_int_equal(ets_etdump_init(&our_dump, ours, nullptr), ETS_OK);
        assert_int_equal(ets_etdump_init(&upstream_dump, upstream, nullptr), ETS_OK);
        assert_int_equal(our_dump.run_count, upstream_dump.run_count);
        for (uint32_t i = 0; i < our_dump.run_count; i++) compare(our_dump, upstream_dump, i);
        free(const_cast<uint8_t *>(ours.data));
        free(const_cast<uint8_t *>(upstream.data));
    }
}
}  // namespace

int main()
{
    executorch::runtime::PalImpl hooks = executorch::runtime::PalImpl::create(nullptr, __FILE__);
    hooks.current_ticks = read_script;
    hooks.emit_log_message = drop_line;
    executorch::runtime::register_pal(hooks);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scripted__times_are_the_same)};
    return cmocka_run_group_tests_name("adapter_scripted", tests, nullptr, nullptr);
}
