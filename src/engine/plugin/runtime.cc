/* Starts the runtime, and keeps its log to explain failed calls. */
#include "engine/plugin/runtime.h"

#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "engine/plugin/llama_kernels.h"
#include "host/os/os_quiet.h"
#include "payload/providers.h"

namespace ets
{
namespace
{
/*
 * The log of the current call. Kernels also log from the pool's threads, and an abort must not
 * allocate, hence a lock and a fixed size. The first lines name the cause. The last line, which
 * later lines replace if the log is full, comes from the outermost caller and names the place.
 */
class call_log
{
  public:
    static constexpr size_t line_limit = 24;
    static constexpr size_t line_bytes = 240;

    constexpr call_log() = default;

    void add(et_pal_log_level_t level, const char *message, size_t length)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (level != kError && level != kFatal) return;
        const size_t at = count_ < line_limit ? count_++ : line_limit - 1;
        snprintf(lines_[at], line_bytes, "%.*s", static_cast<int>(length), message);
    }

    void clear()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        count_ = 0;
    }

    /* Copies whole lines, because threads of the pool may still be logging. */
    std::vector<std::string> lines() const
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::vector<std::string>(lines_, lines_ + count_);
    }

    /* For exit: the last logged line. */
    const char *last() const
    {
        return count_ > 0 ? lines_[count_ - 1] : "no reason logged";
    }

  private:
    mutable std::mutex mutex_;
    size_t count_ = 0;
    char lines_[line_limit][line_bytes] = {};
};

/* Needs no construction or destruction at run time, so it also exists during both. */
call_log current_log;

thread_local bool inside_call = false;
std::atomic<int> calls_in_flight{0};

/* Other code in the process may use the same runtime: its log lines go to the previous handler.
 */
void take_log_line(et_timestamp_t, et_pal_log_level_t level, const char *file, const char *,
                   size_t line, const char *message, size_t length)
{
    if (calls_in_flight > 0) {
        current_log.add(level, message, length);
    } else {
        fprintf(stderr, "[%s:%zu] %.*s\n", file, line, static_cast<int>(length), message);
    }
}

/* On a thread of the runtime nothing can catch the exception, so print the reason. */
[[noreturn]] void take_abort()
{
    if (inside_call) throw runtime_abort();
    const call_log &log = current_log;
    fprintf(stderr, "etscope: the ExecuTorch runtime ended the process: %s\n", log.last());
    std::abort();
}

/* The operators of the lines that miss one, each once. */
std::vector<std::string> missing_operators(const std::vector<std::string> &lines)
{
    std::vector<std::string> names;
    for (const std::string &line : lines) {
        const size_t bracket = line.find("] ");
        if (line.rfind("Missing operator: [", 0) != 0 || bracket == std::string::npos) continue;
        const std::string name = line.substr(bracket + 2);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

/* "aten::foo.out, aten::bar.out", "a, b and 4 more". */
std::string first_names(const std::vector<std::string> &names)
{
    const size_t count = std::min<size_t>(names.size(), 2);
    std::string text;
    for (size_t i = 0; i < count; i++) text += (i > 0 ? ", " : "") + names[i];
    if (count < names.size()) text += " and " + std::to_string(names.size() - count) + " more";
    return text;
}

/* Why a call failed, and what would help. */
struct explanation {
    std::string text;
    enum ets_advice advice = ETS_ADVICE_NONE;
    bool is_provided = false; /* by something that is known */

    void add_llama(const char *library)
    {
        const std::string &reason = why_no_llama();
        if (reason.empty()) text += std::string("; executorch's ") + library + " does not have it";
        else text += "; etscope has no copy of their library: " + reason;
        if (!reason.empty()) advice = ETS_ADVICE_PYTHON;
    }

    /* Says what has the operator or backend `lacks`. */
    void add_provider(const std::string &lacks)
    {
        const ets_provider *has = ets_provider_of(lacks.c_str());
        if (has == nullptr) return;
        is_provided = true;
        if (is_llama(lacks.c_str())) return add_llama(has->library);
        const std::string is_in = has->is_backend ? "; it is in " : "; such kernels are in ";
        if (has->library == nullptr) {
            text += is_in + has->builds;
            return;
        }
        text += is_in + has->library + " of PyPI's executorch, which needs " + has->needs;
        advice = ETS_ADVICE_LIBRARY;
    }
};

/*
 * The line that names the instruction and its operator or delegate, else the last line, which is
 * the outermost; and the first line, which is the innermost and names the cause.
 */
explanation explain(const std::vector<std::string> &lines)
{
    explanation why;
    if (lines.empty()) return why;
    const std::vector<std::string> operators = missing_operators(lines);
    if (!operators.empty()) {
        why.text = ": no kernel is registered for " + first_names(operators);
        for (size_t i = 0; i < operators.size() && !why.is_provided; i++) {
            why.add_provider(operators[i]);
        }
        return why;
    }
    std::string place = lines.back();
    for (const std::string &line : lines) {
        if (line.find(" failed at instruction ") != std::string::npos) place = line;
    }
    const bool lacks_backend = lines.front().find("is not registered") != std::string::npos;
    why.text = ": " + place + (place == lines.front() ? "" : "; first: " + lines.front());
    if (lacks_backend) {
        if (why.text.back() == '.') why.text.pop_back();
        why.add_provider(lines.front());
    }
    /* of XNNPACK's nodes and tensors */
    else if (lines.front().find("Failed to ") == 0)
        why.advice = ETS_ADVICE_REFUSED;
    return why;
}
}  // namespace

void start_runtime()
{
    et::PalImpl hooks = et::PalImpl::create(take_log_line, __FILE__);
    hooks.abort = take_abort;
    et::register_pal(hooks);
    et::runtime_init();
}

void keep_log()
{
    if (et::get_pal_impl()->emit_log_message == take_log_line) return;
    const int saved = ets_os_quiet_begin(); /* it notes that the log was taken before */
    start_runtime();
    ets_os_quiet_end(saved);
}

call_scope::call_scope() : outer_(inside_call)
{
    keep_log();
    inside_call = true;
    calls_in_flight++;
    current_log.clear();
}

call_scope::~call_scope()
{
    calls_in_flight--;
    inside_call = outer_;
}

const char *error_name(et::Error code)
{
    const char *text = et::to_string(code);
    const char *colon = strrchr(text, ':');
    return colon == nullptr ? text : colon + 1;
}

enum ets_status fail_runtime(struct ets_error *error, enum ets_status status, et::Error code,
                             const char *format, ...)
{
    char tried[128];
    va_list arguments;
    va_start(arguments, format);
    ets_format_text(tried, sizeof tried, format, arguments);
    va_end(arguments);
    const explanation why = explain(current_log.lines());
    return ets_fail_advising(error, why.advice, status, ETS_NO_OFFSET, "%s: %s (0x%x)%s", tried,
                             error_name(code), static_cast<unsigned>(code), why.text.c_str());
}

bool log_mentions(const char *part)
{
    for (const std::string &line : current_log.lines()) {
        if (line.find(part) != std::string::npos) return true;
    }
    return false;
}

enum ets_status fail_abort(struct ets_error *error)
{
    const explanation why = explain(current_log.lines());
    return ets_fail_advising(error, why.advice, ETS_RUNTIME, ETS_NO_OFFSET, "the runtime aborted%s",
                             why.text.c_str());
}

}  // namespace ets
