/* ExecuTorch's FileDataSink: appends to a file. */
#ifndef ETSCOPE_COMPAT_FILE_DATA_SINK_H
#define ETSCOPE_COMPAT_FILE_DATA_SINK_H

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>

#include <cstdio>
#include <utility>

namespace executorch
{
namespace etdump
{
class FileDataSink : public DataSinkBase
{
  public:
    using Error = ::executorch::runtime::Error;
    template <typename T>
    using Result = ::executorch::runtime::Result<T>;

    /* Creates or truncates the file. AccessFailed: it cannot be opened. */
    static Result<FileDataSink> create(const char *file_path)
    {
        FILE *file = fopen(file_path, "wb");
        if (file == nullptr) return Error::AccessFailed;
        return FileDataSink(file);
    }

    FileDataSink(const FileDataSink &) = delete;
    FileDataSink &operator=(const FileDataSink &) = delete;
    FileDataSink(FileDataSink &&other) noexcept
        : file_(std::exchange(other.file_, nullptr)), used_(other.used_)
    {
    }
    FileDataSink &operator=(FileDataSink &&other) noexcept
    {
        std::swap(file_, other.file_);
        std::swap(used_, other.used_);
        return *this;
    }
    ~FileDataSink() override
    {
        close();
    }

    /* AccessFailed: the file is closed. Internal: not all bytes were written. */
    Result<size_t> write(const void *ptr, size_t size) override
    {
        if (file_ == nullptr) return Error::AccessFailed;
        const size_t offset = used_, written = fwrite(ptr, 1, size, file_);
        used_ += written;
        if (written != size) return Error::Internal;
        return offset;
    }

    size_t get_used_bytes() const override
    {
        return used_;
    }

    void close()
    {
        if (file_ != nullptr) fclose(file_);
        file_ = nullptr;
    }

  private:
    explicit FileDataSink(FILE *file) : file_(file) {}

    FILE *file_;
    size_t used_ = 0;
};
}  // namespace etdump
}  // namespace executorch

#endif
