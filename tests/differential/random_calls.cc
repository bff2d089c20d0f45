/*
 * Random calls of the tracer. `caller` makes them and keeps what a dump has to hold by trace.h and
 * docs/SPEC.md; check_dump compares.
 */
#include <memory>
#include <stdexcept>

#include "random_calls.hpp"

namespace
{
/* Both clocks stand still during a call, so that its readings are known. */
uint64_t read_clock(void *context)
{
    const auto *clock = static_cast<const clocks *>(context);
    return clock->now * clock->ticks_each + clock->offset;
}

uint64_t read_platform(void *context)
{
    const auto *clock = static_cast<const clocks *>(context);
    return clock->now / clock->platform_each;
}

ets_status keep_bytes(void *context, const void *data, size_t size, uint64_t *offset_out)
{
    auto *kept = static_cast<std::string *>(context);
    *offset_out = kept->size();
    kept->append(static_cast<const char *>(data), size);
    return ETS_OK;
}

constexpr size_t longest_name = 4096;
}  // namespace

/* ticks · scale / 2^32, rounded, digit by digit: 32-bit processors have no wider numbers. */
uint64_t clocks::scaled(uint64_t ticks) const
{
    if (hz == 0) return ticks;
    const uint64_t scale = ((UINT64_C(1000000000) << 33) / hz + 1) / 2;
    uint64_t low = 0, high = 0;
    for (int bit = 63; bit >= 0; bit--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if ((scale >> bit & 1) == 0) continue;
        low += ticks;
        high += low < ticks;
    }
    return (high << 32) + (low >> 32) + (low >> 31 & 1);
}

uint64_t clocks::event_ns(uint64_t at) const
{
    if (!exists) return 0;
    return has_platform ? at : scaled(at);
}

uint64_t clocks::platform_ns(uint64_t ticks) const
{
    if (!exists) return ticks;
    return has_platform ? ticks * platform_each : scaled(ticks);
}

caller::caller(random_choices *random, bool is_plain, bool is_exact)
    : random_(*random), is_plain_(is_plain), is_exact_(is_exact)
{
    for (uint32_t i = 1 + random_.below(30); i > 0; i--) {
        const bool is_long = random_.once_in(40);
        names_.push_back(is_long ? std::string(4000 + random_.below(300), 'n')
                                 : random_.text(12, is_plain_));
    }
    choose_clocks();
    configure();
    require(ets_trace_init(&trace_, &config_) == ETS_OK || !is_exact_, "ets_trace_init");
    threads_.resize(random_.once_in(3) ? 1 + random_.below(3) : 1);
    init_threads();
}

void caller::choose_clocks()
{
    static const uint64_t rates[] = {0,         1000000000, 500000000,  2000000000, 1000000,
                                     168000000, 32768,      4000000000, 2999999999};
    clock_.now = random_.bits() >> (25 + random_.below(30));
    const uint32_t kind = random_.below(5);
    clock_.exists = kind > 0;
    if (kind < 3) {
        clock_.hz = kind == 0 ? 0 : rates[random_.below(sizeof rates / sizeof *rates)];
    } else if (kind == 3) { /* a tick is a quarter of a nanosecond of the platform's clock */
        clock_.has_platform = true;
        clock_.ticks_each = 4;
        clock_.offset = random_.below(1000000);
        clock_.hz = random_.once_in(2) ? UINT64_C(4000000000) : 0;
    } else { /* the platform counts microseconds */
        clock_.has_platform = true;
        clock_.platform_each = 1000;
        clock_.offset = random_.below(1000000);
        clock_.hz = 1000000000;
    }
    if (clock_.has_platform) clock_.now = clock_.now % 1000000000000 / 1000 * 1000;
}

void caller::configure()
{
    config_.mode = static_cast<ets_trace_mode>(random_.below(3));
    buffer_.assign(is_exact_ ? 1 << 21 : 64 + random_.below(6000), '\xa5');
    config_.buffer = buffer_.data();
    config_.buffer_bytes = buffer_.size();
    if (random_.once_in(2)) {
        name_memory_.assign(is_exact_ ? 1 << 18 : random_.below(1000), '\xa5');
        config_.names = name_memory_.data();
        config_.names_bytes = name_memory_.size();
    }
    config_.names_are_static = random_.once_in(2);
    config_.chunk_count = random_.once_in(2) ? 0 : 3 + random_.below(6);
    if (is_exact_) config_.chunk_count = 24 + random_.below(40);
    config_.what = random_.once_in(3) ? 0 : 1 + random_.below(63);
    if (random_.once_in(2)) config_.what = 63;
    enabled_ = config_.what == 0 ? static_cast<uint32_t>(ETS_TRACE_DEFAULT) : config_.what;
    config_.clock = clock_.exists ? read_clock : nullptr;
    config_.clock_context = &clock_;
    config_.clock_hz = clock_.hz;
    if (clock_.has_platform) {
        config_.platform_clock = read_platform;
        config_.platform_clock_context = &clock_;
        config_.platform_ns_numerator = clock_.platform_each;
        config_.platform_ns_denominator = 1;
    }
    const uint32_t sink = random_.below(4);
    has_sink_ = sink > 0;
    if (sink == 1) config_.data_sink = {&debug_, keep_bytes};
    if (sink > 1) {
        debug_.assign(is_exact_ ? 1 << 21 : random_.below(20000), '\0');
        config_.debug_buffer = debug_.data();
        config_.debug_buffer_bytes = debug_.size();
    }
    stream_.assign(config_.mode == ETS_TRACE_STREAM ? 1 << 22 : 0, '\0');
    stream_memory_ = {stream_.data(), stream_.size(), 0};
    if (config_.mode == ETS_TRACE_STREAM) config_.stream = ets_trace_memory_stream(&stream_memory_);
    config_.flush_begins = random_.once_in(8);
}

void caller::init_threads()
{
    for (turn &each : threads_) {
        each = turn();
        ets_trace_thread_init(&each.thread, &trace_);
        /* The event that opens a run may be dropped, and another thread's run then come first. */
        if (!is_exact_ && threads_.size() > 1) begin_run(&each);
    }
}

/* A pointer that goes on to hold the text if names are static, else for the next calls only. */
const char *caller::lend(const std::optional<std::string> &text)
{
    if (!text) return nullptr;
    if (config_.names_are_static) {
        for (const std::string &name : names_) {
            if (name == *text) return name.c_str();
        }
        throw std::logic_error("a name that may go");
    }
    lent_at_ = (lent_at_ + 1) % 3;
    snprintf(lent_[lent_at_], sizeof lent_[lent_at_], "%s", text->c_str());
    return lent_[lent_at_];
}

std::string caller::name()
{
    return names_[random_.below(static_cast<uint32_t>(names_.size()))];
}

std::optional<std::string> caller::maybe_name()
{
    if (random_.once_in(4)) return std::nullopt;
    return name();
}

static std::optional<std::string> cut(const std::optional<std::string> &name)
{
    if (!name) return name;
    return name->substr(0, longest_name);
}

given::run &caller::run_of(turn *of)
{
    if (of->run == SIZE_MAX) {
        of->run = given_.size();
        given_.push_back({"Default", -1, {}, {}});
    }
    return given_[of->run];
}

void caller::begin_run(turn *of)
{
    ets_trace_run run = {};
    const std::optional<std::string> name = maybe_name(), method = maybe_name();
    run.name = lend(name);
    run.method = lend(method);
    run.invocation = random_.below(5);
    run.purpose = static_cast<ets_trace_purpose>(random_.below(3));
    run.is_bundled = random_.once_in(3);
    run.bundled_input_index = static_cast<int32_t>(random_.number());
    if (random_.once_in(6)) {
        run.stage = ETS_STAGE_DECODE;
        run.tokens = 1 + random_.below(9);
    }
    const bool is_null = random_.once_in(20);
    ets_trace_begin_run(&of->thread, is_null ? nullptr : &run);
    of->run = given_.size();
    given::run given;
    given.name = is_null || !name ? "Default" : *cut(name);
    if (!is_null && run.is_bundled) given.bundled_input_index = run.bundled_input_index;
    given_.push_back(given);
}

void caller::set_instruction(turn *of)
{
    static const int32_t chains[] = {-1, 0, 1, 2, 253, 254, 255, 256, 300, 32766, 32767};
    of->chain = random_.once_in(2) ? 0 : chains[random_.below(sizeof chains / sizeof *chains)];
    of->instruction =
        random_.once_in(6) ? static_cast<uint32_t>(random_.number()) : random_.below(40);
    ets_trace_set_instruction(&of->thread, of->chain, of->instruction);
}

void caller::begin(turn *of)
{
    const uint32_t what = random_.once_in(4) ? ETS_TRACE_METHODS : ETS_TRACE_OPERATORS;
    open_span open;
    open.is_on = (enabled_ & what) != 0;
    open.begun_at = clock_.now;
    const std::optional<std::string> name = maybe_name();
    open.event.name = cut(name);
    open.event.chain = of->chain;
    open.event.instruction = static_cast<int32_t>(of->instruction);
    open.span = ets_trace_begin(&of->thread, what, lend(name));
    if (open.is_on && config_.mode == ETS_TRACE_STREAM) (void)run_of(of); /* begins are sent, too */
    of->open.push_back(open);
}

ets_trace_delegate caller::part(given::event *event)
{
    const std::optional<std::string> name = maybe_name();
    event->delegate_name = cut(name);
    const auto id = random_.once_in(4) ? static_cast<int32_t>(random_.number())
                                       : static_cast<int32_t>(random_.below(20));
    event->delegate_id = name ? -1 : id;
    return {lend(name), id};
}

void caller::begin_delegate(turn *of)
{
    open_span open;
    open.is_on = (enabled_ & ETS_TRACE_DELEGATES) != 0;
    open.is_delegate = true;
    open.begun_at = clock_.now;
    open.span = ets_trace_begin_delegate(&of->thread, part(&open.event));
    if (open.is_on && config_.mode == ETS_TRACE_STREAM) (void)run_of(of);
    of->open.push_back(open);
}

void caller::add(turn *of, const given::event &event)
{
    run_of(of).events.push_back(event);
}

/* What a delegate's event takes when it ends. Returns its metadata as it is passed. */
ets_bytes caller::place(const turn *of, given::event *event)
{
    event->chain = of->chain;
    event->instruction = static_cast<int32_t>(of->instruction);
    event->metadata = random_.once_in(2) ? "" : random_.bytes(random_.below(200));
    if (event->metadata->empty()) return {nullptr, 0};
    return {reinterpret_cast<const uint8_t *>(event->metadata->data()), event->metadata->size()};
}

void caller::end(turn *of)
{
    if (of->open.empty()) return;
    const size_t index = random_.once_in(3) ? random_.below(static_cast<uint32_t>(of->open.size()))
                                            : of->open.size() - 1;
    open_span open = of->open[index];
    of->open.erase(of->open.begin() + static_cast<ptrdiff_t>(index));
    if (open.is_delegate) {
        const ets_bytes metadata = place(of, &open.event);
        ets_trace_end_delegate(&of->thread, open.span, metadata);
    } else {
        ets_trace_end(&of->thread, open.span);
    }
    if (!open.is_on) return;
    const bool is_backwards = clock_.exists && clock_.now < open.begun_at;
    backwards_ += is_backwards;
    open.event.start = clock_.event_ns(open.begun_at);
    open.event.end = is_backwards ? open.event.start : clock_.event_ns(clock_.now);
    add(of, open.event);
}

void caller::log_delegate(turn *of)
{
    given::event event;
    const uint64_t start = clock_.now / clock_.platform_each, length = random_.below(5000);
    const bool is_backwards = length > 0 && random_.once_in(30);
    const uint64_t end = is_backwards ? start - (length < start ? length : start) : start + length;
    const ets_trace_delegate of_part = part(&event);
    ets_trace_log_delegate(&of->thread, of_part, start, end, place(of, &event));
    if ((enabled_ & ETS_TRACE_DELEGATES) == 0) return;
    backwards_ += end < start;
    event.start = clock_.platform_ns(start);
    event.end = end < start ? event.start : clock_.platform_ns(end);
    add(of, event);
}

given::tensor caller::tensor()
{
    given::tensor tensor = random_.tensor(is_plain_);
    const ets_tensor shape = borrow(tensor);
    tensor.bytes = random_.bytes(static_cast<uint32_t>(ets_tensor_extent(&shape)));
    return tensor;
}

/* Fills what a value has by the place at which it is logged; nullptr: not of a delegate's part. */
const ets_trace_delegate *caller::subject(const turn *of, given::event *event,
                                          ets_trace_delegate *part_out)
{
    event->kind = ETS_EVENT_DEBUG;
    event->chain = of->chain;
    event->instruction = static_cast<int32_t>(of->instruction);
    event->is_output = random_.once_in(2);
    if (random_.once_in(2)) return nullptr;
    *part_out = part(event);
    return part_out;
}

void caller::log_number(turn *of)
{
    given::event event;
    ets_trace_delegate room;
    const ets_trace_delegate *part = subject(of, &event, &room);
    ets_trace_thread *thread = &of->thread;
    event.value_type = ETS_DEBUG_INT + static_cast<int>(random_.below(3));
    if (event.value_type == ETS_DEBUG_INT) {
        event.int_value = static_cast<int64_t>(random_.number());
        (void)ets_trace_log_int(thread, part, event.int_value, event.is_output);
    } else if (event.value_type == ETS_DEBUG_BOOL) {
        event.int_value = random_.below(2);
        (void)ets_trace_log_bool(thread, part, event.int_value != 0, event.is_output);
    } else {
        event.value_type = ETS_DEBUG_DOUBLE;
        event.double_value = random_.real(is_plain_);
        (void)ets_trace_log_double(thread, part, event.double_value, event.is_output);
    }
    if (wants(event)) add(of, event);
}

bool caller::wants(const given::event &value) const
{
    return (enabled_ & (value.is_output ? ETS_TRACE_OUTPUTS : ETS_TRACE_INTERMEDIATES)) != 0;
}

/* What goes to the extra block. */
void caller::add_beside(turn *of, const given::event &event, const std::string &value,
                        uint32_t list_index)
{
    const given::run &run = run_of(of);
    beside entry = {static_cast<uint32_t>(of->run), static_cast<uint32_t>(run.events.size()), event,
                    value, list_index};
    if (entry.event.delegate_name == "") entry.event.delegate_name.reset(); /* no bytes for both */
    beside_.push_back(entry);
}

void caller::log_string(turn *of)
{
    given::event event;
    ets_trace_delegate room;
    const ets_trace_delegate *part = subject(of, &event, &room);
    const std::string value = name();
    event.value_type = ETS_DEBUG_STRING;
    (void)ets_trace_log_string(&of->thread, part, lend(value), event.is_output);
    if (wants(event)) add_beside(of, event, *cut(value), 0);
}

void caller::log_tensors(turn *of)
{
    given::event event;
    ets_trace_delegate room;
    const ets_trace_delegate *part = subject(of, &event, &room);
    std::vector<ets_tensor> borrowed;
    event.value_type = random_.once_in(3) ? ETS_DEBUG_TENSOR_LIST : ETS_DEBUG_TENSOR;
    const uint32_t count = event.value_type == ETS_DEBUG_TENSOR ? 1 : random_.below(5);
    for (uint32_t i = 0; i < count; i++) event.tensors.push_back(tensor());
    for (const given::tensor &each : event.tensors) borrowed.push_back(borrow(each));
    if (event.value_type == ETS_DEBUG_TENSOR) {
        (void)ets_trace_log_tensor(&of->thread, part, borrowed.data(), event.is_output);
    } else {
        (void)ets_trace_log_tensors(&of->thread, part, borrowed.data(), count, event.is_output);
    }
    if (!wants(event)) return;
    if (has_sink_ || count == 0) {
        add(of, event);
        return;
    }
    given::event alone = event;
    for (uint32_t i = 0; i < count; i++) {
        alone.tensors = {event.tensors[i]};
        alone.tensors[0].bytes.clear();
        add_beside(of, alone, "", i);
    }
}

void caller::add_allocator(turn *of)
{
    const std::string text = name();
    const int32_t number = ets_trace_add_allocator(&of->thread, lend(text));
    if ((enabled_ & ETS_TRACE_ALLOCATIONS) == 0) return;
    given::run &run = run_of(of);
    run.allocators.push_back(*cut(text));
    require(!is_exact_ || number == static_cast<int32_t>(run.allocators.size()), "an allocator");
}

void caller::log_allocation(turn *of)
{
    given::event event;
    event.kind = ETS_EVENT_ALLOCATION;
    event.allocator = static_cast<int32_t>(random_.below(5));
    event.allocated_bytes = random_.number();
    ets_trace_log_allocation(&of->thread, event.allocator, event.allocated_bytes);
    if ((enabled_ & ETS_TRACE_ALLOCATIONS) != 0) add(of, event);
}

void caller::reset()
{
    if (config_.mode == ETS_TRACE_STREAM) return; /* which was sent already */
    (void)ets_trace_reset(&trace_);
    enabled_ = config_.what == 0 ? static_cast<uint32_t>(ETS_TRACE_DEFAULT) : config_.what;
    given_.clear();
    beside_.clear();
    backwards_ = 0;
    init_threads();
}

void caller::let_time_pass()
{
    uint64_t step = random_.below(3000);
    if (random_.once_in(50)) step += UINT64_C(1) << (20 + random_.below(14));
    if (clock_.has_platform) step = step / 1000 * 1000;
    if (!clock_.has_platform && random_.once_in(40)) {
        clock_.now -= step < clock_.now ? step : clock_.now; /* backwards */
    } else {
        clock_.now += step;
    }
}

void caller::step()
{
    turn *of = &threads_[random_.below(static_cast<uint32_t>(threads_.size()))];
    let_time_pass();
    const uint32_t choice = random_.below(100);
    if (choice < 24) begin(of);
    else if (choice < 48) end(of);
    else if (choice < 60) set_instruction(of);
    else if (choice < 65) begin_run(of);
    else if (choice < 67) ets_trace_end_run(&of->thread);
    else if (choice < 72) begin_delegate(of);
    else if (choice < 77) log_delegate(of);
    else if (choice < 82) log_number(of);
    else if (choice < 84) log_string(of);
    else if (choice < 90) log_tensors(of);
    else if (choice < 92) add_allocator(of);
    else if (choice < 95) log_allocation(of);
    else if (choice < 96) ets_trace_thread_release(&of->thread);
    else if (choice < 97 && config_.mode == ETS_TRACE_STREAM) (void)ets_trace_flush(&of->thread);
    else if (choice < 98) ets_trace_enable(&trace_, enabled_ = random_.below(64));
    else if (choice < 99) ets_trace_enable(&trace_, enabled_ = 63);
    else if (random_.once_in(20)) reset();
}

/* The dump as the device writes it, or as the host makes it of the stream. */
std::string caller::finish()
{
    for (turn &each : threads_) {
        while (!each.open.empty() && !random_.once_in(10)) {
            let_time_pass();
            end(&each);
        }
    }
    clock_.now += 2000000; /* so long that both clocks can be compared */
    if (config_.mode == ETS_TRACE_STREAM) {
        for (turn &each : threads_) {
            (void)ets_trace_flush(&each.thread);
            ets_trace_thread_release(&each.thread);
        }
    }
    if (config_.mode == ETS_TRACE_STREAM || random_.once_in(2)) ets_trace_finish(&trace_);
    if (stream_memory_.bytes == 0) return write(&trace_); /* no stream, or no room for an event */
    ets_stream_reader capture;
    ets_trace recovered;
    ets_error error = {};
    const ets_bytes sent = {reinterpret_cast<const uint8_t *>(stream_.data()),
                            stream_memory_.bytes};
    require(ets_stream_reader_init(&capture, sent) == ETS_OK, "a stream without frames");
    std::vector<uint64_t> memory(capture.memory_bytes / 8 + 1);
    if (ets_trace_recover(&recovered, &capture, memory.data(), capture.memory_bytes, &error) !=
        ETS_OK) {
        throw std::runtime_error(error.message);
    }
    return write(&recovered);
}

/* Events refer to these bytes only. */
std::string caller::used_debug_buffer() const
{
    ets_trace_state state;
    ets_trace_get_state(&trace_, &state);
    return config_.debug_buffer == nullptr ? debug_ : debug_.substr(0, state.debug_bytes);
}

std::string caller::write(ets_trace *trace)
{
    size_t size = 0, written = 0;
    ets_error error = {};
    if (ets_trace_dump_size(trace, &size, &error) != ETS_OK)
        throw std::runtime_error(error.message);
    std::string file(size, '\0');
    if (ets_trace_write_buffer(trace, file.data(), size, &written, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    require(size == written, "the dump's size");
    return file;
}

random_dump dump_of_calls(random_choices *random, bool is_plain)
{
    const bool is_exact = !random->once_in(3);
    const auto calls = std::make_unique<caller>(random, is_plain, is_exact);
    for (uint32_t i = random->below(300); i > 0; i--) calls->step();
    random_dump made;
    made.file = calls->finish();
    made.debug_buffer = calls->used_debug_buffer();
    made.content = check_dump(*calls, made);
    made.kind = calls->kind();
    return made;
}
