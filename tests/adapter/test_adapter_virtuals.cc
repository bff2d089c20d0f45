/*
 * EventTracer's functions, one by one, without a program: what each leaves in the dump. The clock
 * is scripted: 1000 ticks a reading, 2 ns a tick.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <thread>

static int misuses;
#define ETSCOPE_MISUSE(text) misuses += text[0] != '\0'

#include "etscope/executorch.hpp"

/* cmocka.h needs the headers above, and redefines words that they use. */
extern "C" {
#include <cmocka.h>
}

#include "etscope/etdump.h"
#include "etscope/trace_extra.h"

static uint64_t ticks;

static et_timestamp_t read_script()
{
    return ticks += 1000;
}

static et_tick_ratio_t script_ratio()
{
    return {2, 1};
}

static void fail_abort()
{
    fail_msg("the tracer ended the program");
}

namespace
{
using etscope::Emptiness;
using etscope::ETDumpOptions;
using etscope::ETDumpResult;
using etscope::ETDumpTracer;
using etscope::TraceAdapter;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::BoxedEvalueList;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerEntry;
using executorch::runtime::EventTracerProfilingLevel;
using executorch::runtime::LoggedEValueType;
using executorch::runtime::Result;
using executorch::runtime::Span;

alignas(64) uint8_t debug_bytes[4096];

/* A finished dump with its only, or last, run; not the one that says that it was cut. */
class Dump
{
  public:
    explicit Dump(ETDumpTracer &tracer) : result_(tracer.get_etdump_data()), tracer_(tracer)
    {
        struct ets_error error = {};
        const struct ets_bytes bytes = {static_cast<const uint8_t *>(result_.buf), result_.size};
        if (ets_etdump_init(&dump_, bytes, &error) != ETS_OK) fail_msg("%s", error.message);
        ets_etdump_run(&dump_, dump_.run_count - 1, &run);
        const bool is_cut = run.name.size == strlen(ETS_TRACE_CUT_NAME) &&
                            memcmp(run.name.data, ETS_TRACE_CUT_NAME, run.name.size) == 0;
        if (is_cut) ets_etdump_run(&dump_, dump_.run_count - 2, &run);
    }
    ~Dump()
    {
        if (!tracer_.is_static_etdump()) free(result_.buf);
    }
    Dump(const Dump &) = delete;
    Dump &operator=(const Dump &) = delete;

    struct ets_etdump_event event(uint32_t index) const
    {
        struct ets_etdump_event found;
        assert_true(index < run.event_count);
        ets_etdump_event(&dump_, &run, index, &found);
        return found;
    }

    struct ets_debug_value value(uint32_t index) const
    {
        struct ets_debug_value found;
        assert_int_equal(event(index).kind, ETS_EVENT_DEBUG);
        ets_etdump_debug_value(&dump_, event(index).payload_at, &found);
        return found;
    }

    struct ets_tensor tensor(uint32_t event_index, uint32_t index, int64_t *offset) const
    {
        struct ets_tensor found;
        const struct ets_debug_value held = value(event_index);
        assert_int_equal(ets_etdump_tensor(&dump_, &held, index, &found, offset, nullptr), ETS_OK);
        return found;
    }

    struct ets_bytes bytes() const
    {
        return dump_.bytes;
    }
    uint32_t run_count() const
    {
        return dump_.run_count;
    }
    struct ets_text allocator(uint32_t index) const
    {
        return ets_etdump_allocator_name(&dump_, &run, index);
    }

    struct ets_etdump_run run;

  private:
    ETDumpResult result_;
    ETDumpTracer &tracer_;
    struct ets_etdump dump_;
};

void assert_text(struct ets_text found, const char *expected)
{
    assert_non_null(found.data);
    assert_int_equal(found.size, strlen(expected));
    assert_memory_equal(found.data, expected, found.size);
}

/* A tensor over some bytes. */
struct Sample {
    Sample(ScalarType type, void *data, executorch::aten::SizesType rows,
           executorch::aten::SizesType columns)
        : sizes{rows, columns}, strides{columns, 1}, impl(type, 2, sizes, data, order, strides)
    {
    }
    Tensor tensor()
    {
        return Tensor(&impl);
    }
    executorch::aten::SizesType sizes[2];
    executorch::aten::DimOrderType order[2] = {0, 1};
    executorch::aten::StridesType strides[2];
    TensorImpl impl;
};

void test_events__have_instruction_names_and_times(void **)
{
    ETDumpTracer tracer;
    ticks = 0;
    tracer.create_event_block("Execute");
    tracer.set_chain_debug_handle(0, 4);
    const EventTracerEntry outer = tracer.start_profiling("OPERATOR_CALL");
    const EventTracerEntry inner = tracer.start_profiling("native_call_add.out");
    tracer.end_profiling(inner);
    tracer.end_profiling(outer);
    tracer.set_chain_debug_handle(-1, 0);
    tracer.end_profiling(tracer.start_profiling("given", 300, 7));
    tracer.end_profiling(tracer.start_profiling(nullptr));
    assert_int_equal(tracer.get_num_blocks(), 1);
    Dump dump(tracer);
    assert_text(dump.run.name, "Execute");
    assert_int_equal(dump.run.event_count, 4);
    assert_text(dump.event(0).name, "native_call_add.out");
    assert_int_equal(dump.event(0).end_ticks - dump.event(0).start_ticks, 2000); /* ns */
    assert_text(dump.event(1).name, "OPERATOR_CALL");
    assert_int_equal(dump.event(1).chain, 0);
    assert_int_equal(dump.event(1).instruction, 4);
    assert_int_equal(dump.event(1).end_ticks - dump.event(1).start_ticks, 6000);
    assert_int_equal(dump.event(2).chain, 300);
    assert_int_equal(dump.event(2).instruction, 7);
    assert_int_equal(dump.event(3).chain, -1);
    assert_null(dump.event(3).name.data);
}

void test_delegates__need_exactly_one_identifier(void **)
{
    ETDumpTracer tracer;
    const uint8_t metadata[] = {1, 2, 3};
    tracer.create_event_block("Execute");
    const EventTracerEntry entry = tracer.start_profiling_delegate("conv", -1);
    tracer.set_chain_debug_handle(0, 9); /* the instruction at the end counts */
    tracer.end_profiling_delegate(entry, metadata, sizeof metadata);
    tracer.end_profiling_delegate(tracer.start_profiling_delegate(nullptr, 5), nullptr, 0);
    tracer.log_profiling_delegate("late", -1, 500, 700, nullptr, 0);
    assert_int_equal(tracer.state().dropped, 0);
    tracer.end_profiling_delegate(tracer.start_profiling_delegate("both", 5));
    tracer.end_profiling_delegate(tracer.start_profiling_delegate(nullptr, -1));
    tracer.log_profiling_delegate(nullptr, -1, 1, 2);
    assert_int_equal(tracer.state().dropped, 3);
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 3);
    assert_text(dump.event(0).delegate_name, "conv");
    assert_int_equal(dump.event(0).instruction, 9);
    assert_int_equal(dump.event(0).metadata.size, sizeof metadata);
    assert_int_equal(dump.event(1).delegate_id, 5);
    assert_int_equal(dump.event(2).start_ticks, 1000); /* the platform's ticks have 2 ns */
    assert_int_equal(dump.event(2).end_ticks, 1400);
}

void test_entries__of_others_are_counted(void **)
{
    ETDumpTracer tracer, other;
    tracer.create_event_block("Execute");
    other.create_event_block("Execute");
    tracer.end_profiling(EventTracerEntry());
    tracer.end_profiling(other.start_profiling("x"));
    tracer.end_profiling(tracer.start_profiling_delegate("delegate's", -1));
    tracer.end_profiling_delegate(tracer.start_profiling("operator's"));
    assert_int_equal(tracer.state().dropped, 4);
}

void test_allocations__are_numbered_from_one(void **)
{
    ETDumpTracer tracer;
    tracer.create_event_block("Default");
    assert_int_equal(tracer.track_allocator("first"), 1);
    assert_int_equal(tracer.track_allocator("second"), 2);
    tracer.track_allocation(2, 123);
    Dump dump(tracer);
    assert_int_equal(dump.run.allocator_count, 2);
    assert_text(dump.allocator(1), "second");
    assert_int_equal(dump.event(0).kind, ETS_EVENT_ALLOCATION);
    assert_int_equal(dump.event(0).allocator, 2);
    assert_int_equal(dump.event(0).allocated_bytes, 123);
}

void test_values__tensors_of_every_type(void **)
{
    ETDumpTracer tracer;
    alignas(16) uint8_t data[96];
    for (size_t i = 0; i < sizeof data; i++) data[i] = static_cast<uint8_t>(i);
    assert_true(tracer.set_debug_buffer({debug_bytes, sizeof debug_bytes}).get());
    tracer.create_event_block("Execute");
    uint32_t count = 0;
    for (int type = 0; type <= ETS_SCALAR_UINT64; type++) {
        if (ets_scalar_type_bytes(type) == 0) continue;
        Sample sample(static_cast<ScalarType>(type), data, 2, 3);
        const Result<bool> logged =
            tracer.log_evalue(EValue(sample.tensor()), LoggedEValueType::kIntermediateOutput);
        if (logged.ok()) count++;
    }
    const uint32_t dropped = tracer.state().dropped;
    Dump dump(tracer);
    assert_int_equal(count, 30);
    assert_int_equal(dropped, 0);
    assert_int_equal(dump.run.event_count, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t offset;
        struct ets_tensor found = dump.tensor(i, 0, &offset);
        assert_int_equal(found.scalar_type, i);
        assert_int_equal(found.sizes[0], 2);
        assert_int_equal(found.strides[0], 3);
        assert_int_equal(offset % 64, 0);
        assert_memory_equal(debug_bytes + offset, data, 6 * ets_scalar_type_bytes((int)i));
    }
}

void test_values__numbers_have_the_output_flag_too(void **)
{
    ETDumpTracer tracer;
    tracer.create_event_block("Execute");
    assert_true(tracer.log_evalue(EValue(INT64_C(-7)), LoggedEValueType::kProgramOutput).get());
    assert_true(tracer.log_evalue(EValue(0.5)).get());
    assert_true(tracer.log_evalue(EValue(true)).get());
    Dump dump(tracer);
    assert_int_equal(dump.value(0).type, ETS_DEBUG_INT);
    assert_int_equal(dump.value(0).int_value, -7);
    assert_int_equal(dump.value(0).is_output, 1);
    assert_true(dump.value(1).double_value == 0.5);
    assert_int_equal(dump.value(1).is_output, 0);
    assert_int_equal(dump.value(2).type, ETS_DEBUG_BOOL);
    assert_int_equal(dump.value(2).int_value, 1);
}

void test_values__lists(void **)
{
    ETDumpTracer tracer;
    float data[6] = {1, 2, 3, 4, 5, 6};
    Sample sample(ScalarType::Float, data, 2, 3);
    EValue held[] = {EValue(sample.tensor()), EValue(sample.tensor()), EValue(sample.tensor()),
                     EValue(sample.tensor()), EValue(sample.tensor()), EValue(sample.tensor())};
    EValue *wrapped[] = {&held[0], &held[1], &held[2], &held[3], &held[4], &held[5]};
    alignas(Tensor) uint8_t room[6 * sizeof(Tensor)] = {};
    BoxedEvalueList<Tensor> tensors(wrapped, reinterpret_cast<Tensor *>(room), 6);
    EValue numbers[] = {EValue(INT64_C(3)), EValue(INT64_C(4))};
    EValue *wrapped_numbers[] = {&numbers[0], &numbers[1]};
    int64_t unwrapped[2];
    BoxedEvalueList<int64_t> ints(wrapped_numbers, unwrapped, 2);
    double doubles[] = {0.25, 8};
    executorch::aten::ArrayRef<double> double_list(doubles, 2);
    bool bools[] = {true, false, true};
    executorch::aten::ArrayRef<bool> bool_list(bools, 3);
    BoxedEvalueList<Tensor> broken(wrapped_numbers, reinterpret_cast<Tensor *>(room), 2);
    assert_true(tracer.set_debug_buffer({debug_bytes, sizeof debug_bytes}).ok());
    tracer.create_event_block("Execute");
    assert_true(tracer.log_evalue(EValue(&tensors)).get());
    assert_true(tracer.log_evalue(EValue(&ints)).get());
    assert_true(tracer.log_evalue(EValue(&double_list)).get());
    assert_true(tracer.log_evalue(EValue(&bool_list)).get());
    assert_false(tracer.log_evalue(EValue(&broken)).ok());
    assert_int_equal(tracer.state().dropped, 1);
    Dump dump(tracer);
    int64_t offset;
    assert_int_equal(dump.value(0).type, ETS_DEBUG_TENSOR_LIST);
    assert_int_equal(dump.value(0).tensor_count, 6);
    dump.tensor(0, 5, &offset);
    assert_memory_equal(debug_bytes + offset, data, sizeof data);
    assert_int_equal(dump.tensor(1, 0, &offset).scalar_type, ETS_SCALAR_LONG);
    assert_memory_equal(debug_bytes + offset, unwrapped, sizeof unwrapped);
    assert_int_equal(dump.tensor(2, 0, &offset).scalar_type, ETS_SCALAR_DOUBLE);
    assert_memory_equal(debug_bytes + offset, doubles, sizeof doubles);
    assert_int_equal(dump.tensor(3, 0, &offset).sizes[0], 3);
}

void test_values__strings_are_in_the_extra_block(void **)
{
    ETDumpTracer tracer;
    const char text[] = "greater";
    executorch::aten::ArrayRef<char> string(text, 5); /* without its end */
    tracer.create_event_block("Execute");
    tracer.set_chain_debug_handle(0, 3);
    assert_true(tracer.log_evalue(EValue(&string)).get());
    assert_true(tracer.log_evalue(EValue()).get());
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 0);
    struct ets_trace_extra extra;
    struct ets_trace_extra_string found;
    size_t at = 0;
    assert_int_equal(ets_trace_extra_init(&extra, dump.bytes(), nullptr), ETS_OK);
    assert_int_equal(ets_trace_extra_next_string(&extra, &at, &found), 1);
    assert_text(found.value, "great");
    assert_int_equal(found.instruction, 3);
    assert_int_equal(ets_trace_extra_next_string(&extra, &at, &found), 1);
    assert_text(found.value, "None");
    assert_int_equal(ets_trace_extra_next_string(&extra, &at, &found), 0);
}

/* Takes two writes. */
class Sink : public executorch::etdump::DataSinkBase
{
  public:
    Result<size_t> write(const void *, size_t size) override
    {
        if (++count > 2) return Error::OutOfResources;
        used += size;
        return used - size;
    }
    size_t get_used_bytes() const override
    {
        return used;
    }
    size_t used = 0;
    int count = 0;
};

void test_values__go_to_a_data_sink_until_it_refuses(void **)
{
    ETDumpTracer tracer;
    Sink sink;
    float data[2] = {1, 2};
    Sample sample(ScalarType::Float, data, 1, 2);
    tracer.set_data_sink(&sink);
    assert_true(tracer.get_data_sink() == &sink);
    tracer.create_event_block("Execute");
    assert_true(tracer.log_evalue(EValue(sample.tensor())).get());
    assert_true(tracer.log_evalue(EValue(sample.tensor())).get());
    assert_int_equal((int)tracer.log_evalue(EValue(sample.tensor())).error(),
                     (int)Error::OutOfResources);
    assert_int_equal(tracer.state().dropped, 1);
    Dump dump(tracer);
    int64_t offset;
    dump.tensor(1, 0, &offset);
    assert_int_equal(dump.run.event_count, 2);
    assert_int_equal(offset, 8);
}

/* Leaves out what begins with an x and what has an odd number. */
class Filter : public executorch::runtime::EventTracerFilterBase
{
  public:
    Result<bool> filter(const char *name, executorch::runtime::DelegateDebugIntId id) override
    {
        if (id == 99) return Error::InvalidState;
        return name != nullptr ? name[0] == 'x' : id % 2 != 0;
    }
};

void test_values__delegates_with_a_filter(void **)
{
    ETDumpTracer tracer;
    Filter filter;
    float data[2] = {1, 2};
    Sample sample(ScalarType::Float, data, 1, 2);
    const Tensor pair[] = {sample.tensor(), sample.tensor()};
    assert_true(tracer.set_debug_buffer({debug_bytes, sizeof debug_bytes}).ok());
    tracer.create_event_block("Execute");
    tracer.set_delegation_intermediate_output_filter(&filter);
    assert_true(tracer.log_intermediate_output_delegate("a", -1, pair[0]).get());
    assert_false(tracer.log_intermediate_output_delegate("x", -1, pair[0]).get());
    assert_true(tracer
                    .log_intermediate_output_delegate(nullptr, 2,
                                                      executorch::aten::ArrayRef<Tensor>(pair, 2))
                    .get());
    assert_false(tracer.log_intermediate_output_delegate(nullptr, 3, true).get());
    assert_int_equal((int)tracer.log_intermediate_output_delegate(nullptr, 99, 1).error(),
                     (int)Error::InvalidState);
    assert_int_equal((int)tracer.log_intermediate_output_delegate("a", 1, 1).error(),
                     (int)Error::InvalidArgument);
    tracer.set_delegation_intermediate_output_filter(nullptr);
    assert_true(tracer.log_intermediate_output_delegate("x", -1, -5).get());
    assert_true(tracer.log_intermediate_output_delegate("x", -1, 2.5).get());
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 4);
    assert_text(dump.event(0).delegate_name, "a");
    assert_int_equal(dump.event(1).delegate_id, 2);
    assert_int_equal(dump.value(1).tensor_count, 2);
    assert_int_equal(dump.value(2).int_value, -5);
    assert_true(dump.value(3).double_value == 2.5);
}

/* Of the recorder's own filters: what matches is recorded. */
void test_values__with_filters_and_a_reducer(void **)
{
    static const char *const names[] = {"a*", "OPERATOR_CALL"};
    struct ets_trace_filter filter = {};
    struct ets_trace_reducer reducer = {};
    float data[2] = {1, -2};
    Sample sample(ScalarType::Float, data, 1, 2);
    const Tensor pair[] = {sample.tensor(), sample.tensor()};
    const executorch::aten::ArrayRef<Tensor> list(pair, 2);
    filter.names = names;
    filter.name_count = 2;
    filter.what = ETS_TRACE_OPERATORS | ETS_TRACE_INTERMEDIATES;
    reducer.what = ETS_TRACE_INTERMEDIATES;
    reducer.first_count = 1;
    ETDumpTracer tracer;
    assert_int_equal(tracer.set_filters(&filter, 1), ETS_OK);
    assert_int_equal(tracer.set_reducer(&reducer), ETS_OK);
    assert_true(tracer.set_debug_buffer({debug_bytes, sizeof debug_bytes}).ok());
    for (int again = 0; again < 2; again++) {
        tracer.create_event_block("Execute");
        tracer.end_profiling(tracer.start_profiling("native_call_add.out", 0, 3));
        tracer.end_profiling(tracer.start_profiling("OPERATOR_CALL", 0, 3));
        assert_true(tracer.log_intermediate_output_delegate("ab", -1, list).get());
        assert_false(tracer.log_intermediate_output_delegate("b", -1, list).get());
        assert_false(tracer.log_evalue(EValue(sample.tensor())).get());
        assert_true(
            tracer.log_evalue(EValue(sample.tensor()), LoggedEValueType::kProgramOutput).get());
        Dump dump(tracer);
        assert_int_equal(dump.run.event_count, 2);
        assert_text(dump.event(0).name, "OPERATOR_CALL");
        assert_int_equal(dump.value(1).is_output, 1);
        struct ets_trace_extra extra;
        struct ets_trace_extra_tensor found;
        size_t at = 0;
        assert_int_equal(ets_trace_extra_init(&extra, dump.bytes(), nullptr), ETS_OK);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(ets_trace_extra_next_tensor(&extra, &at, &found), 1);
            assert_text(found.delegate_name, "ab");
            assert_int_equal(found.list_index, i);
            assert_int_equal(found.has_statistics, 1);
            assert_true(found.statistics.min == -2 && found.statistics.first[0] == 1);
        }
        assert_int_equal(ets_trace_extra_next_tensor(&extra, &at, &found), 0);
        assert_int_equal(tracer.state().dropped, 0);
    }
}

void test_values__without_a_sink_are_told_apart(void **)
{
    ETDumpTracer tracer;
    float data[2] = {1, 2};
    Sample sample(ScalarType::Float, data, 1, 2);
    tracer.create_event_block("Execute");
    tracer.set_chain_debug_handle(0, 3);
    assert_true(tracer.log_evalue(EValue(sample.tensor())).get());
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 0);
    struct ets_trace_extra extra;
    struct ets_trace_extra_tensor found;
    size_t at = 0;
    assert_int_equal(ets_trace_extra_init(&extra, dump.bytes(), nullptr), ETS_OK);
    assert_int_equal(ets_trace_extra_next_tensor(&extra, &at, &found), 1);
    assert_int_equal(found.instruction, 3);
    assert_int_equal(found.tensor.sizes[1], 2);
    assert_int_equal(found.has_statistics, 0);
}

void test_values__of_a_ring_keep_their_bytes(void **)
{
    ETDumpOptions options;
    options.mode = ETS_TRACE_RING;
    options.chunk_count = 4;
    options.heap_bytes = 1 << 14;
    ETDumpTracer tracer(options);
    assert_true(tracer.set_debug_buffer({debug_bytes, sizeof debug_bytes}).ok());
    tracer.create_event_block("Execute");
    float data[250];
    for (int i = 0; i < 40; i++) {
        for (float &number : data) number = static_cast<float>(i);
        Sample sample(ScalarType::Float, data, 10, 25);
        tracer.set_chain_debug_handle(0, static_cast<uint32_t>(i));
        assert_true(tracer.log_evalue(EValue(sample.tensor())).get());
    }
    float large[257] = {};
    Sample sample(ScalarType::Float, large, 1, 257);
    assert_int_equal((int)tracer.log_evalue(EValue(sample.tensor())).error(),
                     (int)Error::OutOfResources);
    assert_int_equal(tracer.state().dropped, 1);
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        int64_t offset;
        float first;
        dump.tensor(i, 0, &offset);
        memcpy(&first, debug_bytes + offset, sizeof first);
        assert_int_equal(dump.event(i).instruction, 36 + i);
        assert_int_equal((int)first, 36 + i);
    }
}

void test_empty__says_why(void **)
{
    ETDumpTracer tracer;
    assert_null(tracer.get_etdump_data().buf);
    assert_true(tracer.emptiness() == Emptiness::kNothingRecorded);
    assert_non_null(strstr(tracer.why_empty(), "ET_EVENT_TRACER_ENABLED"));
    tracer.create_event_block("Default");
    assert_null(tracer.why_empty());
    uint8_t tiny[64];
    ETDumpTracer cramped({tiny, sizeof tiny});
    cramped.create_event_block("Default");
    assert_null(cramped.get_etdump_data().buf);
    assert_true(cramped.emptiness() == Emptiness::kNoSpace);
}

/* Records, and asks for the dump; every size of the buffer. */
void test_buffer__every_size(void **)
{
    static uint8_t buffer[4097];
    for (size_t size = 0; size < 4096; size++) {
        ETDumpTracer tracer({buffer + 1, size}); /* size 0 is a buffer, too */
        tracer.create_event_block("Execute");
        for (int i = 0; i < 60; i++) tracer.end_profiling(tracer.start_profiling("name"));
        assert_true(tracer.is_static_etdump());
        const ETDumpResult dump = tracer.get_etdump_data();
        if (dump.buf == nullptr) {
            assert_true(tracer.emptiness() == Emptiness::kNoSpace);
            continue;
        }
        uint8_t *at = static_cast<uint8_t *>(dump.buf);
        struct ets_etdump view;
        assert_true(at >= buffer + 1 && at + dump.size <= buffer + 1 + size);
        assert_int_equal(ets_etdump_init(&view, {at, dump.size}, nullptr), ETS_OK);
    }
}

/* After a dump the next block begins a new trace, and the dump can be had twice before. */
void test_reset__begins_anew(void **)
{
    ETDumpTracer tracer;
    for (int i = 0; i < 3; i++) {
        tracer.create_event_block("Default");
        tracer.create_event_block("Execute");
        tracer.end_profiling(tracer.start_profiling("x"));
        Dump first(tracer), second(tracer);
        assert_int_equal(first.run_count(), 2);
        assert_int_equal(first.run.event_count, 1);
        assert_int_equal(first.bytes().size, second.bytes().size);
    }
    tracer.reset();
    assert_null(tracer.get_etdump_data().buf);
}

/* What stays open over a dump records nothing in the next trace, and does not end its run. */
void test_reset__what_was_open_is_stale(void **)
{
    ETDumpTracer tracer;
    tracer.create_event_block("Execute");
    tracer.end_profiling(tracer.start_profiling("early"));
    const EventTracerEntry call = tracer.start_profiling("native_call_late.out");
    const EventTracerEntry part = tracer.start_profiling_delegate("part", -1);
    const EventTracerEntry whole = tracer.start_profiling("Method::execute");
    free(tracer.get_etdump_data().buf);
    tracer.create_event_block("Execute");
    tracer.end_profiling(call);
    tracer.end_profiling_delegate(part);
    tracer.end_profiling(whole);
    tracer.end_profiling(tracer.start_profiling("next"));
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 1);
    assert_memory_equal(dump.event(0).name.data, "next", 4);
    assert_int_equal(tracer.state().stale, 3);
    assert_int_equal(tracer.state().dropped, 0);
}

struct Upstream {
    void *buf;
    size_t size;
};

void test_result__converts(void **)
{
    ETDumpTracer tracer;
    tracer.create_event_block("Default");
    const Upstream result = tracer.get_etdump_data();
    assert_true(result.size > 0);
    free(result.buf);
}

void test_runs__tell_bundled_input_method_and_invocation(void **)
{
    ETDumpTracer tracer;
    tracer.set_method("forward", 2);
    tracer.set_bundled_input_index(4);
    tracer.create_event_block("Execute");
    tracer.create_event_block("Execute");
    Dump dump(tracer);
    struct ets_trace_extra extra;
    struct ets_trace_extra_run found;
    size_t at = 0;
    assert_int_equal(dump.run.bundled_input_index, 4);
    assert_int_equal(ets_trace_extra_init(&extra, dump.bytes(), nullptr), ETS_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ets_trace_extra_next_run(&extra, &at, &found), 1);
        assert_text(found.method, "forward");
        assert_int_equal(found.invocation, 2 + i);
        assert_int_equal(found.purpose, ETS_TRACE_EXECUTE);
    }
}

/* Told before an execution, and of that one alone. */
void test_runs__tell_tokens(void **)
{
    ETDumpTracer tracer;
    tracer.set_method("forward");
    tracer.set_tokens(ETS_STAGE_PREFILL, 8, 0);
    tracer.create_event_block("Default");
    tracer.create_event_block("Execute");
    tracer.create_event_block("Execute");
    Dump dump(tracer);
    /* Key 18, its size, and the entry of docs/SPEC.md; on little-endian machines. */
    const uint32_t expected[] = {18, 20 + 7, 0, 8, 0, 0, ETS_STAGE_PREFILL};
    const struct ets_bytes all = dump.bytes();
    uint32_t entries = 0;
    for (size_t at = 0; at + sizeof expected <= all.size; at += 8) {
        entries += memcmp(all.data + at, expected, sizeof expected) == 0;
        entries += memcmp(all.data + at, expected, 8) == 0;
    }
    assert_int_equal(entries, 2); /* one, and no other with this key */
}

void test_levels__follow_what_the_trace_records(void **)
{
    static uint64_t buffer[512];
    struct ets_trace trace;
    struct ets_trace_config config = {};
    config.buffer = buffer;
    config.buffer_bytes = sizeof buffer;
    config.what = ETS_TRACE_METHODS | ETS_TRACE_OUTPUTS;
    etscope::set_clock(&config, etscope::Clock::kPlatform);
    assert_int_equal(ets_trace_init(&trace, &config), ETS_OK);
    TraceAdapter adapter(&trace);
    assert_true(adapter.event_tracer_profiling_level() ==
                EventTracerProfilingLevel::kProfileMethodOnly);
    assert_true(adapter.event_tracer_debug_level() == EventTracerDebugLogLevel::kProgramOutputs);
    adapter.create_event_block("Execute");
    adapter.set_chain_debug_handle(0, 1);
    adapter.end_profiling(adapter.start_profiling("OPERATOR_CALL")); /* is off */
    adapter.end_profiling(adapter.start_profiling("Method::step"));
    assert_false(adapter.log_evalue(EValue(1.0)).get());
    struct ets_trace_state before = adapter.state();
    adapter.enable(0);
    adapter.create_event_block("Execute");
    adapter.end_profiling(adapter.start_profiling("Method::execute"));
    assert_int_equal(adapter.get_num_blocks(), 1);
    assert_int_equal(adapter.state().used_bytes, before.used_bytes);
    assert_int_equal(adapter.state().dropped, 0);
}

void test_threads__share_a_trace_and_not_an_adapter(void **)
{
    static uint64_t buffer[2048];
    struct ets_trace trace;
    struct ets_trace_config config = {};
    config.buffer = buffer;
    config.buffer_bytes = sizeof buffer;
    assert_int_equal(ets_trace_init(&trace, &config), ETS_OK);
    TraceAdapter first(&trace);
    misuses = 0;
    first.create_event_block("Execute");
    std::thread([&trace] {
        TraceAdapter second(&trace);
        second.create_event_block("Execute");
        second.end_profiling(second.start_profiling("Method::execute"));
    }).join();
    first.end_profiling(first.start_profiling("Method::execute"));
    assert_int_equal(misuses, 0);
    std::thread([&first] { first.track_allocation(0, 1); }).join();
    assert_int_equal(misuses, 1);
    std::thread([&first] {
        first.hand_over();
        first.track_allocation(0, 1);
    }).join();
    assert_int_equal(misuses, 1);
}

void test_clock__the_cycle_counter_is_tied_to_the_platform(void **)
{
    ETDumpOptions options;
    options.clock = etscope::Clock::kCycleCounter;
    ETDumpTracer tracer(options);
    tracer.create_event_block("Execute");
    tracer.end_profiling(tracer.start_profiling("Method::execute"));
    tracer.log_profiling_delegate("late", -1, ticks - 10, ticks, nullptr, 0);
    Dump dump(tracer);
    assert_int_equal(dump.run.event_count, 2);
    assert_true(dump.event(0).start_ticks <= dump.event(0).end_ticks);
}
}  // namespace

int main()
{
    executorch::runtime::PalImpl hooks = executorch::runtime::PalImpl::create(nullptr, __FILE__);
    hooks.abort = fail_abort;
    hooks.current_ticks = read_script;
    hooks.ticks_to_ns_multiplier = script_ratio;
    executorch::runtime::register_pal(hooks);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events__have_instruction_names_and_times),
        cmocka_unit_test(test_delegates__need_exactly_one_identifier),
        cmocka_unit_test(test_entries__of_others_are_counted),
        cmocka_unit_test(test_allocations__are_numbered_from_one),
        cmocka_unit_test(test_values__tensors_of_every_type),
        cmocka_unit_test(test_values__numbers_have_the_output_flag_too),
        cmocka_unit_test(test_values__lists),
        cmocka_unit_test(test_values__strings_are_in_the_extra_block),
        cmocka_unit_test(test_values__go_to_a_data_sink_until_it_refuses),
        cmocka_unit_test(test_values__delegates_with_a_filter),
        cmocka_unit_test(test_values__with_filters_and_a_reducer),
        cmocka_unit_test(test_values__without_a_sink_are_told_apart),
        cmocka_unit_test(test_values__of_a_ring_keep_their_bytes),
        cmocka_unit_test(test_empty__says_why),
        cmocka_unit_test(test_buffer__every_size),
        cmocka_unit_test(test_reset__begins_anew),
        cmocka_unit_test(test_reset__what_was_open_is_stale),
        cmocka_unit_test(test_result__converts),
        cmocka_unit_test(test_runs__tell_bundled_input_method_and_invocation),
        cmocka_unit_test(test_runs__tell_tokens),
        cmocka_unit_test(test_levels__follow_what_the_trace_records),
        cmocka_unit_test(test_threads__share_a_trace_and_not_an_adapter),
        cmocka_unit_test(test_clock__the_cycle_counter_is_tied_to_the_platform),
    };
    return cmocka_run_group_tests_name("adapter_virtuals", tests, nullptr, nullptr);
}
