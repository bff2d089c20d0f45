/*
 * ExecuTorch's BufferDataSink: writes to the caller's buffer, each piece at an address that is a
 * multiple of `alignment`, with zeros in between.
 */
#ifndef ETSCOPE_COMPAT_BUFFER_DATA_SINK_H
#define ETSCOPE_COMPAT_BUFFER_DATA_SINK_H

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/span.h>

#include <cstdint>
#include <cstring>

namespace executorch
{
namespace etdump
{
class BufferDataSink : public DataSinkBase
{
  public:
    using Error = ::executorch::runtime::Error;
    template <typename T>
    using Result = ::executorch::runtime::Result<T>;
    template <typename T>
    using Span = ::executorch::runtime::Span<T>;

    /* Borrows the buffer. InvalidArgument: the alignment is not a power of 2. */
    static Result<BufferDataSink> create(Span<uint8_t> buffer, size_t alignment = 64) noexcept
    {
        if (alignment == 0 || (alignment & (alignment - 1)) != 0) return Error::InvalidArgument;
        return BufferDataSink(buffer, alignment);
    }
    static Result<BufferDataSink> create(void *ptr, size_t size, size_t alignment = 64) noexcept
    {
        return create({static_cast<uint8_t *>(ptr), size}, alignment);
    }

    BufferDataSink() = default;
    BufferDataSink(const BufferDataSink &) = delete;
    BufferDataSink &operator=(const BufferDataSink &) = delete;
    BufferDataSink(BufferDataSink &&) = default;
    BufferDataSink &operator=(BufferDataSink &&) = default;

    /* OutOfResources: the data does not fit. */
    Result<size_t> write(const void *ptr, size_t size) override
    {
        if (size == 0) return used_;
        const uintptr_t end = reinterpret_cast<uintptr_t>(buffer_.data()) + used_;
        const size_t padding = static_cast<size_t>(-end & (alignment_ - 1));
        const size_t left = buffer_.size() - used_;
        if (padding > left || size > left - padding) return Error::OutOfResources;
        memset(buffer_.data() + used_, 0, padding);
        memcpy(buffer_.data() + used_ + padding, ptr, size);
        const size_t offset = used_ + padding;
        used_ = offset + size;
        return offset;
    }

    Result<size_t> get_storage_size() const
    {
        return buffer_.size();
    }
    size_t get_used_bytes() const override
    {
        return used_;
    }

  private:
    BufferDataSink(Span<uint8_t> buffer, size_t alignment) : buffer_(buffer), alignment_(alignment)
    {
    }

    Span<uint8_t> buffer_ = {nullptr, static_cast<size_t>(0)};
    size_t used_ = 0, alignment_ = 64;
};
}  // namespace etdump
}  // namespace executorch

#endif
