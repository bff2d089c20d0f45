/*
 * ExecuTorch's ETDumpFilter without RE2. It leaves out values of delegates, by name or number.
 *
 *     executorch::etdump::ETDumpFilter filter;
 *     filter.add_regex("conv.*");
 *     tracer.set_delegation_intermediate_output_filter(&filter); // borrowed
 *
 * Patterns are those of std::regex (ECMAScript) and match whole names, as with RE2. Differences:
 * RE2's (?i) and other flags, \A, \z, \pL and \Q...\E are refused or mean something else;
 * std::regex adds look-ahead and back references. The time of a match is not bounded by the length
 * of the name. If std::regex runs out of resources, filter() returns an error.
 */
#ifndef ETSCOPE_COMPAT_ETDUMP_FILTER_H
#define ETSCOPE_COMPAT_ETDUMP_FILTER_H

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>

#include <regex>
#include <string>
#include <string_view>
#include <vector>

#if !defined(__cpp_exceptions)
#error "etdump_filter.h needs exceptions: std::regex reports invalid patterns with them"
#endif

namespace executorch
{
namespace etdump
{
class ETDumpFilter : public ::executorch::runtime::EventTracerFilterBase
{
  public:
    using Error = ::executorch::runtime::Error;
    template <typename T>
    using Result = ::executorch::runtime::Result<T>;

    /* true, or InvalidArgument: not a regular expression. */
    Result<bool> add_regex(std::string_view pattern)
    {
        try {
            patterns_.emplace_back(std::string(pattern), std::regex::ECMAScript);
        } catch (const std::regex_error &) {
            return Error::InvalidArgument;
        }
        return true;
    }

    /* Sets the range start <= n < end. true, or InvalidArgument: the range is empty. */
    Result<bool> set_debug_handle_range(size_t start, size_t end)
    {
        if (start >= end) return Error::InvalidArgument;
        start_ = start;
        end_ = end;
        return true;
    }

    /*
     * Whether the name matches any pattern, or the number is in the range; true if no pattern or
     * range is set. Give either a name or a number; otherwise InvalidArgument.
     */
    Result<bool> filter(const char *name,
                        ::executorch::runtime::DelegateDebugIntId delegate_debug_index) override
    {
        const bool has_id = delegate_debug_index != ::executorch::runtime::kUnsetDelegateDebugIntId;
        if ((name != nullptr) == has_id) return Error::InvalidArgument;
        if (name != nullptr) return matches(name);
        if (end_ == 0) return true;
        return delegate_debug_index >= 0 && static_cast<size_t>(delegate_debug_index) >= start_ &&
               static_cast<size_t>(delegate_debug_index) < end_;
    }

    size_t get_n_regex() const
    {
        return patterns_.size();
    }

  private:
    Result<bool> matches(const char *name) const
    {
        if (patterns_.empty()) return true;
        try {
            for (const std::regex &pattern : patterns_) {
                if (std::regex_match(name, pattern)) return true;
            }
        } catch (const std::regex_error &) {
            return Error::InvalidArgument;
        }
        return false;
    }

    std::vector<std::regex> patterns_;
    size_t start_ = 0, end_ = 0;
};
}  // namespace etdump
}  // namespace executorch

#endif
