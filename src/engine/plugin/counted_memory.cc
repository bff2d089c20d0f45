/* Counts memory that the runtime, kernels and backends take from a method's allocators. */
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

/* The start of the library that contains `address`; NULL: unknown. */
const void *library_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/* A backend's library is that of its vtable, to which the first word of an object points. */
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

/* The owner of the code at `address`; "": the runtime, or unknown. */
std::string find_taker(const void *address)
{
    const void *library = library_of(address);
    return library == nullptr || library == runtime_library() ? "" : backends_in(library);
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

/* Reserves room for typical methods at once, so that heap use during loading is the method's. */
counting_allocator::counting_allocator(et::EventTracer *tracer)
    : MemoryAllocator(0, nullptr), tracer_(tracer)
{
    blocks_.reserve(16);
    takers_.reserve(8);
    callers_.reserve(256);
}

/* Looks up each caller once, because asking the loader takes microseconds. */
taken_memory *counting_allocator::taker_at(const void *caller)
{
    for (const auto &known : callers_) {
        if (known.first == caller) return &takers_[known.second].taken;
    }
    const std::string backend = find_taker(caller);
    size_t number = 0;
    while (number < takers_.size() && takers_[number].backend != backend) number++;
    if (number == takers_.size()) takers_.push_back({backend, {}});
    callers_.emplace_back(caller, number);
    return &takers_[number].taken;
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

/* Allocates from the first block with room. Blocks are kept after a reset. */
void *counting_allocator::allocate_pages(size_t size, size_t alignment)
{
    constexpr size_t least = size_t{1} << 20;
    for (;; block_++, block_used_ = 0) {
        if (block_ == blocks_.size()) {
            if (size > SIZE_MAX - alignment) return nullptr;
            blocks_.emplace_back(std::max(size + alignment, least));
        }
        const counted_block &block = blocks_[block_];
        const auto address = reinterpret_cast<uintptr_t>(block.data()) + block_used_;
        const size_t begin = block_used_ + static_cast<size_t>(-address & (alignment - 1));
        if (begin > block.size() || size > block.size() - begin) continue;
        block_used_ = begin + size;
        return block.data() + begin;
    }
}

void *counting_allocator::allocate(size_t size, size_t alignment)
{
    if (!isPowerOf2(alignment)) return nullptr;
    void *memory = allocate_pages(size, alignment);
    if (memory == nullptr) return nullptr;
    const uint64_t padding = -used_ & (alignment - 1);
    const place where = current_place();
    add(taker_at(__builtin_return_address(0)), padding + size, alignment, where);
    taken_memory *step = &steps_[where];
    if (step->now == 0) open_.push_back(step);
    add(step, padding + size, alignment, where);
    used_ += padding + size;
    peak_ = std::max(peak_, used_);
    return memory;
}

void counting_allocator::reset()
{
    block_ = block_used_ = 0;
    used_ = 0;
    for (taker &each : takers_) each.taken.now = 0;
    for (taken_memory *each : open_) each->now = 0;
    open_.clear();
}

counting_allocator::takers counting_allocator::take()
{
    takers all;
    for (taker &each : takers_) {
        if (each.taken.count > 0) all.push_back(each);
        each.taken = {};
    }
    return all;
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
