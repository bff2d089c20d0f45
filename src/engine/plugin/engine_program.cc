/* A loaded program: its methods, their inputs and outputs, and its tracer. */
#include "engine/plugin/engine_program.h"

#include <chrono>
#include <string>

#include "engine/plugin/llama_kernels.h"
#include "engine/plugin/threads.h"
#include "engine/plugin/trace_entries.h"
#include "engine/plugin/values.h"

extern "C" {
#include "base/extra_keys.h"
}

namespace ets
{
namespace
{
/* Nanoseconds since 1970. */
uint64_t time_of_day()
{
    using namespace std::chrono;
    const auto since = system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(duration_cast<nanoseconds>(since).count());
}

/* Identifies bytes that are not a program for this runtime. */
enum ets_status check_header(struct ets_bytes bytes, struct ets_error *error)
{
    using status = et::Program::HeaderStatus;
    if (bytes.size >= 8 && memcmp(bytes.data + 4, "BP08", 4) == 0) {
        return ets_fail(error, ETS_WRONG_KIND, 4,
                        "this is a bundled program (.bpte); the engine takes the .pte inside it");
    }
    if (bytes.size < et::Program::kMinHeadBytes) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "a .pte has at least %zu bytes, but this one has %zu",
                        et::Program::kMinHeadBytes, bytes.size);
    }
    switch (et::Program::check_header(bytes.data, bytes.size)) {
    case status::CompatibleVersion: return ETS_OK;
    case status::IncompatibleVersion:
        return ets_fail(error, ETS_UNSUPPORTED, 4,
                        "this runtime cannot read the program's format (%.4s)",
                        reinterpret_cast<const char *>(bytes.data) + 4);
    default:
        return ets_fail(error, ETS_WRONG_KIND, 4,
                        "not an ExecuTorch program: identifier ET12 is missing");
    }
}

enum ets_status status_of_load(et::Error code)
{
    switch (code) {
    case et::Error::InvalidProgram:
    case et::Error::InvalidArgument:
    case et::Error::InvalidExternalData: return ETS_MALFORMED;
    case et::Error::NotSupported: return ETS_UNSUPPORTED;
    default: return ETS_RUNTIME;
    }
}

enum ets_status load_data_files(struct ets_engine_program *program,
                                const struct ets_engine_program_options *options,
                                struct ets_error *error)
{
    std::vector<const et::NamedDataMap *> maps;
    for (size_t i = 0; i < options->data_file_count; i++) {
        program->data_files.push_back(std::make_unique<data_file>(options->data_files[i]));
        data_file &file = *program->data_files.back();
        auto map = executorch::extension::FlatTensorDataMap::load(&file.loader);
        if (!map.ok()) {
            return fail_runtime(error, status_of_load(map.error()), map.error(),
                                "cannot load data file %zu", i);
        }
        file.map = std::make_unique<executorch::extension::FlatTensorDataMap>(std::move(map.get()));
        maps.push_back(file.map.get());
    }
    if (maps.size() == 1) program->data_map = maps[0];
    if (maps.size() < 2) return ETS_OK;
    using merged = executorch::extension::merged_data_map::MergedDataMap;
    auto map = merged::load({maps.data(), maps.size()});
    if (!map.ok()) {
        return fail_runtime(error, ETS_MISMATCH, map.error(),
                            "the data files do not belong together");
    }
    program->merged_map = std::make_unique<merged>(std::move(map.get()));
    program->data_map = program->merged_map.get();
    return ETS_OK;
}

void count_memory(struct ets_engine_program *program,
                  const struct ets_engine_program_options *options)
{
    uint64_t data_bytes = 0;
    for (size_t i = 0; i < options->data_file_count; i++) data_bytes += options->data_files[i].size;
    program->memory = std::make_unique<memory_report>(options->program.size, data_bytes);
}

enum ets_status add_tracer(struct ets_engine_program *program,
                           const struct ets_engine_program_options *options,
                           struct ets_error *error)
{
    if (options->tracer == ETS_TRACER_NONE) {
        if (options->capture == ETS_CAPTURE_NONE && options->count_memory == 0) return ETS_OK;
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        options->count_memory == 0 ? "capturing values needs a tracer"
                                                   : "counting memory needs a tracer");
    }
    if (options->tracer != ETS_TRACER_UPSTREAM && options->tracer != ETS_TRACER_ETSCOPE) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "unknown tracer: %d",
                        static_cast<int>(options->tracer));
    }
    if (options->count_memory != 0 && options->tracer != ETS_TRACER_ETSCOPE) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "counting memory needs etscope's tracer");
    }
    if (options->fingerprint.size > 64) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a fingerprint can have at most 64 bytes, not %zu",
                        options->fingerprint.size);
    }
    program->traced_since = time_of_day();
    program->tracer = make_tracer(options->tracer, options->capture, options->fingerprint);
    if (options->count_memory != 0) count_memory(program, options);
    const size_t limit =
        options->debug_buffer_bytes == 0 ? ETS_ENGINE_DEBUG_BYTES : options->debug_buffer_bytes;
    if (options->capture != ETS_CAPTURE_NONE && !program->tracer->reserve_debug_bytes(limit)) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET,
                        "no address space for a debug buffer of %zu bytes", limit);
    }
    return ETS_OK;
}

enum ets_status open_checked(const struct ets_engine_program_options *options,
                             std::unique_ptr<struct ets_engine_program> *out,
                             struct ets_error *error)
{
    ETS_TRY(check_header(options->program, error));
    ETS_TRY(set_thread_count(options->threads, error));
    auto program = std::make_unique<ets_engine_program>(options->program);
    program->threads = static_cast<uint32_t>(thread_count());
    auto loaded =
        et::Program::load(&program->loader, et::Program::Verification::InternalConsistency);
    if (!loaded.ok()) {
        return fail_runtime(error, status_of_load(loaded.error()), loaded.error(),
                            "cannot load the program");
    }
    program->program = std::make_unique<et::Program>(std::move(loaded.get()));
    program->shared.find(*program->program);
    program->llama = llama_kernels_of(options->program);
    ETS_TRY(load_data_files(program.get(), options, error));
    ETS_TRY(add_tracer(program.get(), options, error));
    *out = std::move(program);
    return ETS_OK;
}

/* Runs `read` with the method's description. */
template <typename Read>
enum ets_status with_meta(const struct ets_engine_program *program, const char *method,
                          struct ets_error *error, Read read)
{
    return guarded(error, nullptr, [&] {
        ETS_TRY(check_method_exists(program, method, error));
        const auto meta = program->program->method_meta(method);
        if (!meta.ok()) {
            return fail_runtime(error, status_of_load(meta.error()), meta.error(),
                                "cannot read method %s", method);
        }
        return read(meta.get());
    });
}

enum ets_status read_method_info(const et::MethodMeta &meta, struct ets_engine_method_info *out,
                                 struct ets_error *error)
{
    *out = ets_engine_method_info();
    out->name = meta.name();
    out->input_count = meta.num_inputs();
    out->output_count = meta.num_outputs();
    out->instruction_count = meta.num_instructions();
    out->backend_count = meta.num_backends();
    out->planned_buffer_count = meta.num_memory_planned_buffers();
    for (size_t i = 0; i < out->planned_buffer_count; i++) {
        const auto size = meta.memory_planned_buffer_size(i);
        if (!size.ok() || size.get() < 0) {
            return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                            "method %s: planned buffer %zu has an invalid size", out->name, i);
        }
        out->planned_bytes += static_cast<uint64_t>(size.get());
    }
    return ETS_OK;
}
}  // namespace

enum ets_status check_method_exists(const struct ets_engine_program *program, const char *method,
                                    struct ets_error *error)
{
    std::string names;
    for (size_t i = 0; i < method_count(program); i++) {
        const char *name = method_name(program, i);
        if (name == nullptr) continue;
        if (method != nullptr && strcmp(name, method) == 0) return ETS_OK;
        if (!names.empty()) names += ", ";
        names += name;
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no method %s; the program has %s",
                    method == nullptr ? "(null)" : method, names.empty() ? "none" : names.c_str());
}

enum ets_status describe_value(const et::MethodMeta &meta, bool is_input, size_t index,
                               struct ets_engine_value_info *info_out, struct ets_error *error)
{
    const char *role = is_input ? "input" : "output";
    const size_t count = is_input ? meta.num_inputs() : meta.num_outputs();
    if (index >= count) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "method %s has no %s %zu: it has %zu", meta.name(), role, index, count);
    }
    *info_out = ets_engine_value_info();
    const auto tag = is_input ? meta.input_tag(index) : meta.output_tag(index);
    if (!tag.ok()) {
        info_out->kind = ETS_VALUE_OTHER;
        return ETS_OK;
    }
    info_out->kind = kind_of(tag.get());
    if (info_out->kind != ETS_VALUE_TENSOR) return ETS_OK;
    const auto info = is_input ? meta.input_tensor_meta(index) : meta.output_tensor_meta(index);
    if (!info.ok()) {
        return fail_runtime(error, status_of_load(info.error()), info.error(),
                            "cannot read %s %zu of %s", role, index, meta.name());
    }
    info_out->is_memory_planned = info->is_memory_planned() ? 1 : 0;
    return read_tensor_info(info.get(), &info_out->tensor, error);
}

enum ets_status program_open(const struct ets_engine_program_options *options,
                             struct ets_engine_program **program_out, struct ets_error *error)
{
    std::unique_ptr<struct ets_engine_program> program;
    ETS_TRY(guarded(error, nullptr, [&] { return open_checked(options, &program, error); }));
    *program_out = program.release();
    return ETS_OK;
}

void program_close(struct ets_engine_program *program)
{
    if (program == nullptr) return;
    guarded(nullptr, nullptr, [&] {
        delete program;
        return ETS_OK;
    });
}

size_t method_count(const struct ets_engine_program *program)
{
    return program->program->num_methods();
}

const char *method_name(const struct ets_engine_program *program, size_t index)
{
    if (index >= method_count(program)) return nullptr;
    const auto name = program->program->get_method_name(index);
    return name.ok() ? name.get() : nullptr;
}

enum ets_status method_info(const struct ets_engine_program *program, const char *method,
                            struct ets_engine_method_info *info_out, struct ets_error *error)
{
    return with_meta(program, method, error, [&](const et::MethodMeta &meta) {
        return read_method_info(meta, info_out, error);
    });
}

enum ets_status input_info(const struct ets_engine_program *program, const char *method,
                           size_t index, struct ets_engine_value_info *info_out,
                           struct ets_error *error)
{
    return with_meta(program, method, error, [&](const et::MethodMeta &meta) {
        return describe_value(meta, true, index, info_out, error);
    });
}

enum ets_status output_info(const struct ets_engine_program *program, const char *method,
                            size_t index, struct ets_engine_value_info *info_out,
                            struct ets_error *error)
{
    return with_meta(program, method, error, [&](const et::MethodMeta &meta) {
        return describe_value(meta, false, index, info_out, error);
    });
}

const char *method_backend(const struct ets_engine_program *program, const char *method,
                           size_t index)
{
    const char *name = nullptr;
    with_meta(program, method, nullptr, [&](const et::MethodMeta &meta) {
        const auto found = meta.get_backend_name(index);
        if (found.ok()) name = found.get();
        return ETS_OK;
    });
    return name;
}

enum ets_status trace_finish(struct ets_engine_program *program, struct ets_bytes *etdump_out,
                             struct ets_bytes *debug_out, struct ets_error *error)
{
    *etdump_out = ets_bytes();
    *debug_out = ets_bytes();
    if (program->tracer == nullptr) return ETS_OK;
    if (program->is_broken && !program->tracer->survives_abort()) {
        return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET,
                        "the runtime aborted in this program, so its trace is lost");
    }
    if (!program->is_finished) {
        ETS_TRY(guarded(error, &program->is_broken, [&] {
            std::string entries, threads, times;
            store(&threads, program->threads);
            put_entry(&entries, ETS_EXTRA_THREADS, threads);
            store(&times, program->traced_since);
            store(&times, time_of_day());
            put_entry(&entries, ETS_EXTRA_RECORDED, times);
            if (program->memory != nullptr) program->memory->put(&entries);
            program->dump = append_entries(program->tracer->finish(), entries);
            program->tracer->enable(false);
            program->is_finished = true;
            return ETS_OK;
        }));
    }
    etdump_out->data = static_cast<const uint8_t *>(program->dump.data.get());
    etdump_out->size = program->dump.size;
    debug_out->data = program->tracer->sink().data();
    debug_out->size = program->tracer->sink().get_used_bytes();
    return ETS_OK;
}

void trace_enable(struct ets_engine_program *program, int enabled)
{
    if (program->tracer != nullptr && !program->is_finished) program->tracer->enable(enabled != 0);
}

void trace_set_case(struct ets_engine_program *program, int32_t bundled_input_index)
{
    if (program->tracer == nullptr) return;
    program->tracer->event_tracer()->set_bundled_input_index(
        bundled_input_index < 0 ? executorch::runtime::kUnsetBundledInputIndex
                                : bundled_input_index);
}

void trace_statistics(const struct ets_engine_program *program,
                      struct ets_engine_trace_statistics *statistics_out)
{
    *statistics_out = ets_engine_trace_statistics();
    statistics_out->first_dropped_instruction = -1;
    if (program->tracer != nullptr) program->tracer->statistics(statistics_out);
}

}  // namespace ets
