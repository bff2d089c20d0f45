/* Records for the writer of ETDumps: whatever fields of a file can hold. */
#include <stdexcept>

#include "random_dumps.hpp"

#pragma GCC diagnostic ignored "-Wshadow" /* in C a struct and a function may have one name */
extern "C" {
#include "trace/etdump_writer.h"
}

namespace
{
/* What the writer asks for. */
struct source {
    given::runs runs;
    std::vector<std::string> texts;
    std::vector<ets_etdump_name> names;

    uint32_t number_of(const std::optional<std::string> &text)
    {
        if (!text) return ETS_ETDUMP_NO_NAME;
        for (uint32_t i = 0; i < texts.size(); i++) {
            if (texts[i] == *text) return i;
        }
        throw std::runtime_error("a name is not in the list");
    }
};

ets_status get_run(void *context, uint32_t run, ets_etdump_run_record *out)
{
    auto *from = static_cast<source *>(context);
    const given::run &of = from->runs[run];
    out->name = from->number_of(of.name);
    out->bundled_input_index = of.bundled_input_index;
    out->allocator_count = static_cast<uint32_t>(of.allocators.size());
    out->event_count = static_cast<uint32_t>(of.events.size());
    return ETS_OK;
}

ets_status get_allocator(void *context, uint32_t run, uint32_t index, uint32_t *name_out)
{
    auto *from = static_cast<source *>(context);
    *name_out = from->number_of(from->runs[run].allocators[index]);
    return ETS_OK;
}

ets_status get_event(void *context, uint32_t run, uint32_t index, ets_etdump_record *out)
{
    auto *from = static_cast<source *>(context);
    const given::event &event = from->runs[run].events[index];
    out->kind = event.kind;
    out->name = from->number_of(event.name);
    out->chain = event.chain;
    out->instruction = event.instruction;
    out->delegate_id = event.delegate_id;
    out->delegate_name = from->number_of(event.delegate_name);
    if (event.metadata) {
        out->metadata = {reinterpret_cast<const uint8_t *>(event.metadata->data()),
                         event.metadata->size()};
    }
    out->start_ticks = event.start;
    out->end_ticks = event.end;
    out->allocator = event.allocator;
    out->allocated_bytes = event.allocated_bytes;
    out->value_type = static_cast<ets_debug_value_type>(event.value_type);
    out->is_output = event.is_output;
    out->int_value = event.int_value;
    out->double_value = event.double_value;
    out->float_value = static_cast<float>(event.double_value);
    out->tensor_count = static_cast<uint32_t>(event.tensors.size());
    return ETS_OK;
}

ets_status get_tensor(void *context, uint32_t run, uint32_t event, uint32_t index, ets_tensor *out,
                      int64_t *offset_out)
{
    const given::tensor &tensor =
        static_cast<source *>(context)->runs[run].events[event].tensors[index];
    *out = borrow(tensor);
    *offset_out = *tensor.offset;
    return ETS_OK;
}

bool is_common(const given::event &event)
{
    return event.kind == ETS_EVENT_PROFILE && event.delegate_id == -1 && !event.delegate_name &&
           !event.metadata;
}

uint32_t count_alike(void *context, uint32_t run, uint32_t index, uint32_t most)
{
    const auto &events = static_cast<source *>(context)->runs[run].events;
    const given::event &first = events[index];
    uint32_t count = 0;
    while (count < most && is_common(first)) {
        const given::event &next = events[index + 1 + count];
        if (!is_common(next) || next.name.has_value() != first.name.has_value() ||
            (next.chain == 0) != (first.chain == 0) ||
            (next.instruction == -1) != (first.instruction == -1)) {
            break;
        }
        count++;
    }
    return count;
}

class maker
{
  public:
    maker(random_choices *random, bool is_plain) : random_(*random), is_plain_(is_plain) {}

    source make()
    {
        source made;
        for (uint32_t i = 1 + random_.below(12); i > 0; i--) {
            const std::string text = random_.text(20, is_plain_);
            made.texts.push_back(text);
        }
        texts_ = &made.texts;
        made.runs.resize(random_.below(5));
        for (given::run &run : made.runs) fill(&run);
        return made;
    }

  private:
    std::string name()
    {
        return (*texts_)[random_.below(static_cast<uint32_t>(texts_->size()))];
    }

    std::optional<std::string> maybe_name()
    {
        if (random_.once_in(3)) return std::nullopt;
        return name();
    }

    int32_t int32()
    {
        return random_.once_in(2) ? -1 : static_cast<int32_t>(random_.number());
    }

    void fill(given::run *run)
    {
        run->name = name();
        run->bundled_input_index = int32();
        for (uint32_t i = random_.below(4); i > 0; i--) run->allocators.push_back(name());
        run->events.resize(random_.once_in(5) ? random_.below(200) : random_.below(12));
        const bool are_alike = random_.once_in(3);
        for (given::event &event : run->events) {
            if (are_alike && !random_.once_in(20)) fill_common(&event);
            else fill(&event);
        }
    }

    void fill_common(given::event *event)
    {
        event->name = name();
        event->chain = static_cast<int32_t>(random_.below(3)) - 1;
        event->instruction = static_cast<int32_t>(random_.below(9));
        event->start = random_.bits();
        event->end = random_.bits();
    }

    void fill(given::event *event)
    {
        event->kind = static_cast<ets_event_kind>(random_.below(3));
        if (event->kind == ETS_EVENT_ALLOCATION) {
            event->allocator = static_cast<int32_t>(random_.number());
            event->allocated_bytes = random_.number();
            return;
        }
        event->name = maybe_name();
        event->instruction = int32();
        event->delegate_id = int32();
        event->delegate_name = maybe_name();
        event->chain = static_cast<int64_t>(random_.number());
        if (event->kind == ETS_EVENT_DEBUG) {
            fill_value(event);
            return;
        }
        event->chain = static_cast<int32_t>(event->chain);
        if (random_.once_in(2)) event->metadata = random_.bytes(random_.below(40));
        else if (event->delegate_name || event->delegate_id != -1) event->metadata = "";
        event->start = random_.number();
        event->end = random_.number();
    }

    void fill_value(given::event *event)
    {
        event->value_type = static_cast<int>(random_.below(ETS_DEBUG_STRING));
        event->is_output = random_.once_in(2);
        switch (event->value_type) {
        case ETS_DEBUG_INT: event->int_value = static_cast<int64_t>(random_.number()); break;
        case ETS_DEBUG_BOOL: event->int_value = random_.below(2); break;
        case ETS_DEBUG_FLOAT:
            event->double_value = static_cast<float>((random_.below(2000) - 1000.0) / 8);
            break;
        case ETS_DEBUG_DOUBLE: event->double_value = random_.real(is_plain_); break;
        case ETS_DEBUG_TENSOR: event->tensors.push_back(tensor()); break;
        case ETS_DEBUG_TENSOR_LIST:
            for (uint32_t i = random_.below(5); i > 0; i--) event->tensors.push_back(tensor());
            break;
        default: break;
        }
    }

    given::tensor tensor()
    {
        given::tensor tensor = random_.tensor(is_plain_);
        for (int64_t &size : tensor.sizes) {
            if (random_.once_in(8)) size = static_cast<int64_t>(random_.number() >> 1);
        }
        tensor.offset = static_cast<int64_t>(random_.number());
        return tensor;
    }

    random_choices &random_;
    const bool is_plain_;
    const std::vector<std::string> *texts_ = nullptr;
};

std::string write(source *from, bool has_hint)
{
    for (const std::string &text : from->texts) {
        from->names.push_back({{text.data(), text.size()}, 0});
    }
    ets_etdump_source source = {};
    source.context = from;
    source.names = from->names.data();
    source.name_count = static_cast<uint32_t>(from->names.size());
    source.run_count = static_cast<uint32_t>(from->runs.size());
    source.run = get_run;
    source.event = get_event;
    source.allocator = get_allocator;
    source.tensor = get_tensor;
    source.alike = has_hint ? count_alike : nullptr;
    ets_error error = {};
    size_t size = 0, written = 0;
    if (ets_etdump_writer_size(&source, &size, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    std::string file(size, '\0');
    if (ets_etdump_write_buffer(&source, file.data(), size, &written, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    require(size == written, "the writer's size");
    return file;
}
}  // namespace

random_dump dump_of_records(random_choices *random, bool is_plain)
{
    source from = maker(random, is_plain).make();
    random_dump made = {write(&from, random->once_in(2)), "", from.runs, "records"};
    const given::runs found = given::read(made.file, "", true);
    if (!(found == made.content)) differ("records", to_json(made.content), to_json(found));
    return made;
}
