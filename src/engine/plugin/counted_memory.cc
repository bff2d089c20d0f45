/* Counts what runtime, kernels and backends take of a method's allocators, and who took it. */
#include "engine/plugin/counted_memory.h"

#include <dlfcn.h>
#include <executorch/runtime/backend/interface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace ets
{
namespace
{
namespace et = ::executorch::runtime;

/* Where the library begins that holds `address`; NULL: not known. */
const void *library_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/* A backend's library is that of its virtual functions, whose table an object begins with. */
const void *library_of(const et::BackendInterface *backend)
{
    return backend == nullptr ? nullptr : library_of(*reinterpret_cast<void *const *>(backend));
}

const void *runtime_library()
{
    return library_of(reinterpret_cast<const void *>(&et::get_backend_class));
}

/* The backends in a library, as "A or B"; "": none. */
std::string backends_in(const void *library)
{
    std::string names;
    for (size_t i = 0; i < et::get_num_registered_backends(); i++) {
        const auto name = et::get_backend_name(i);
        if (!name.ok() || library_of(et::get_backend_class(name.get())) != library) continue;
        names += (names.empty() ? "" : " or ") + std::string(name.get());
    }
    return names;
}

/* Whose code lies at `address`; "": the runtime's, or not known. */
std::string find_taker(const void *address)
{
    const void *library = library_of(address);
    return library == nullptr || library == runtime_library() ? "" : backends_in(library);
}

/* The same, looked up once for an address: the loader's answer takes microseconds. */
const std::string &taker_at(const void *address)
{
    thread_local std::map<const void *, std::string> known;
    const auto found = known.find(address);
    if (found != known.end()) return found->second;
    return known.emplace(address, find_taker(address)).first->second;
}

size_t page_bytes()
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? static_cast<size_t>(bytes) : 4096;
}

size_t whole_pages(size_t size)
{
    const size_t page = page_bytes();
    return size > SIZE_MAX - page ? 0 : (std::max<size_t>(size, 1) + page - 1) / page * page;
}
}  // namespace

bool is_backend_apart(const char *backend)
{
    const void *library = library_of(et::get_backend_class(backend));
    return library != nullptr && library != runtime_library() && backends_in(library) == backend;
}

counting_allocator::place counting_allocator::current_place() const
{
    if (tracer_ == nullptr || tracer_->current_chain_id() == et::kUnsetChainId) return {-1, 0};
    return {tracer_->current_chain_id(), tracer_->current_debug_handle()};
}

void counting_allocator::add(taken_memory *taken, uint64_t bytes, uint64_t alignment, place where)
{
    taken->count++;
    taken->alignment = std::max(taken->alignment, alignment);
    taken->now += bytes;
    if (taken->now <= taken->bytes) return;
    taken->bytes = taken->now;
    taken->chain = where.first;
    taken->instruction = where.second;
}

void *counting_allocator::allocate(size_t size, size_t alignment)
{
    void *memory = source_->allocate(size, alignment); /* refuses what is no power of two */
    if (memory == nullptr) return nullptr;
    const uint64_t padding = -used_ & (alignment - 1);
    const place where = current_place();
    add(&takers_[taker_at(__builtin_return_address(0))], padding + size, alignment, where);
    taken_memory *step = &steps_[where];
    if (step->now == 0) open_.push_back(step);
    add(step, padding + size, alignment, where);
    used_ += padding + size;
    peak_ = std::max(peak_, used_);
    return memory;
}

void counting_allocator::reset()
{
    source_->reset();
    used_ = 0;
    for (auto &each : takers_) each.second.now = 0;
    for (taken_memory *each : open_) each->now = 0;
    open_.clear();
}

counting_allocator::takers counting_allocator::take()
{
    return std::exchange(takers_, {});
}

counted_block::counted_block(size_t size) : size_(size)
{
    const size_t bytes = whole_pages(size);
    void *data = bytes == 0 ? MAP_FAILED
                            : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_NOHUGEPAGE
    (void)madvise(data, bytes, MADV_NOHUGEPAGE); /* else a byte touches two megabytes */
#endif
    data_ = static_cast<uint8_t *>(data);
}

counted_block::~counted_block()
{
    if (data_ != nullptr) munmap(data_, whole_pages(size_));
}

counted_block::counted_block(counted_block &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_)
{
}

uint64_t counted_block::touched() const
{
#ifdef __linux__
    const size_t page = page_bytes();
    std::vector<unsigned char> resident(whole_pages(size_) / page);
    if (mincore(data_, resident.size() * page, resident.data()) != 0) return UINT64_MAX;
    uint64_t pages = 0;
    for (const unsigned char each : resident) pages += each & 1u;
    return std::min<uint64_t>(pages * page, size_);
#else
    return UINT64_MAX;
#endif
}

}  // namespace ets
