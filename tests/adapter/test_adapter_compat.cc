/*
 * A client of ExecuTorch's ETDumpGen, its filter and its sinks, in their own names, compiled over
 * etscope's headers and linked without ExecuTorch's etdump library.
 */
#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>

extern "C" {
#include <cmocka.h>
}

#include "etscope/etdump.h"

namespace
{
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::etdump::BufferDataSink;
using executorch::etdump::ETDumpFilter;
using executorch::etdump::ETDumpGen;
using executorch::etdump::ETDumpResult;
using executorch::etdump::FileDataSink;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::EventTracerEntry;
using executorch::runtime::kUnsetDelegateDebugIntId;
using executorch::runtime::Span;

/* Events of all blocks of a dump. */
uint32_t count_events(const ETDumpResult &dump)
{
    struct ets_etdump view;
    uint32_t count = 0;
    assert_int_equal(
        ets_etdump_init(&view, {static_cast<const uint8_t *>(dump.buf), dump.size}, nullptr),
        ETS_OK);
    for (uint32_t i = 0; i < view.run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(&view, i, &run);
        count += run.event_count;
    }
    return count;
}

uint32_t count_and_free(ETDumpGen &tracer)
{
    const ETDumpResult dump = tracer.get_etdump_data();
    assert_non_null(dump.buf);
    const uint32_t count = count_events(dump);
    if (!tracer.is_static_etdump()) free(dump.buf);
    return count;
}

/* Six floats. */
struct Sample {
    int32_t sizes[2] = {3, 2};
    uint8_t order[2] = {0, 1};
    int32_t strides[2] = {2, 1};
    float data[6] = {1, 2, 3, 4, 5, 6};
    TensorImpl impl{ScalarType::Float, 2, sizes, data, order, strides};

    Tensor tensor()
    {
        return Tensor(&impl);
    }
};

void test_compat__a_tracer_on_the_heap_or_in_a_buffer(void **)
{
    static uint8_t buffer[64 * 1024];
    for (int has_buffer = 0; has_buffer < 2; has_buffer++) {
        auto tracer =
            has_buffer
                ? std::make_unique<torch::executor::ETDumpGen>(Span<uint8_t>(buffer, sizeof buffer))
                : std::make_unique<torch::executor::ETDumpGen>();
        for (int i = 0; i < 3; i++) {
            tracer->create_event_block("Execute");
            const EventTracerEntry entry = tracer->start_profiling("op", 0, 1);
            tracer->end_profiling(entry);
            assert_int_equal(tracer->get_num_blocks(), 1);
            assert_int_equal(count_and_free(*tracer), 1);
        }
        tracer->clear_builder();
        assert_null(tracer->get_etdump_data().buf);
    }
}

void test_compat__sinks_keep_what_is_logged(void **)
{
    alignas(64) static uint8_t bytes[256];
    Sample sample;
    auto in_memory = BufferDataSink::create(bytes, sizeof bytes);
    char path[] = "compat_sink_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    auto in_file = FileDataSink::create(path);
    assert_true(in_memory.ok() && in_file.ok());
    ETDumpGen tracer;
    tracer.create_event_block("Execute");
    tracer.set_data_sink(&in_memory.get());
    assert_ptr_equal(tracer.get_data_sink(), &in_memory.get());
    assert_true(tracer.log_evalue(EValue(sample.tensor())).ok());
    assert_true(tracer.log_evalue(EValue(sample.tensor())).ok());
    assert_int_equal(in_memory->get_used_bytes(), 64 + 24);
    assert_memory_equal(bytes + 64, sample.data, 24);
    tracer.set_data_sink(&in_file.get());
    assert_true(tracer.log_evalue(EValue(sample.tensor())).ok());
    assert_int_equal(in_file->get_used_bytes(), 24);
    in_file->close();
    assert_int_equal((int)in_file->write("x", 1).error(), (int)Error::AccessFailed);
    static const uint8_t large[256] = {0};
    assert_int_equal((int)in_memory->write(large, sizeof large).error(),
                     (int)Error::OutOfResources);
    assert_int_equal((int)BufferDataSink::create(bytes, 64, 3).error(),
                     (int)Error::InvalidArgument);
    assert_int_equal(count_and_free(tracer), 3);
    remove(path);
}

/* Whether a value of that name or number is left out, as `filter` says. */
void check_filter(ETDumpFilter &filter, const char *name, int32_t id, bool matches)
{
    Sample sample;
    ETDumpGen tracer;
    alignas(64) uint8_t bytes[64];
    tracer.create_event_block("Execute");
    assert_true(tracer.set_debug_buffer({bytes, sizeof bytes}).ok());
    tracer.set_delegation_intermediate_output_filter(&filter);
    const auto found = filter.filter(name, id);
    assert_true(found.ok() && found.get() == matches);
    const auto logged = tracer.log_intermediate_output_delegate(name, id, sample.tensor());
    assert_true(logged.ok() && logged.get() != matches);
    assert_int_equal(count_and_free(tracer), !matches);
}

void test_compat__a_filter_leaves_out_what_matches(void **)
{
    ETDumpFilter filter;
    check_filter(filter, "any", kUnsetDelegateDebugIntId, true);
    check_filter(filter, nullptr, 3, true);
    assert_true(filter.add_regex("conv[0-9]+").ok());
    assert_true(filter.add_regex("relu|tanh").ok());
    assert_int_equal((int)filter.add_regex("(open").error(), (int)Error::InvalidArgument);
    assert_int_equal(filter.get_n_regex(), 2);
    check_filter(filter, "conv12", kUnsetDelegateDebugIntId, true);
    check_filter(filter, "a conv12", kUnsetDelegateDebugIntId, false); /* whole names */
    check_filter(filter, "tanh", kUnsetDelegateDebugIntId, true);
    assert_true(filter.set_debug_handle_range(10, 20).ok());
    assert_int_equal((int)filter.set_debug_handle_range(20, 20).error(),
                     (int)Error::InvalidArgument);
    check_filter(filter, nullptr, 9, false);
    check_filter(filter, nullptr, 10, true);
    check_filter(filter, nullptr, 20, false);
    assert_int_equal((int)filter.filter("both", 1).error(), (int)Error::InvalidArgument);
    assert_int_equal((int)filter.filter(nullptr, kUnsetDelegateDebugIntId).error(),
                     (int)Error::InvalidArgument);
}
}  // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compat__a_tracer_on_the_heap_or_in_a_buffer),
        cmocka_unit_test(test_compat__sinks_keep_what_is_logged),
        cmocka_unit_test(test_compat__a_filter_leaves_out_what_matches)};
    executorch::runtime::pal_init();
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
