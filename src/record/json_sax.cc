// RapidJSON's SAX reader, filling a tape. The only C++ of this folder: without exceptions, RTTI or
// anything of the C++ runtime, so that a C linker can link it.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "record/json.h"

// A hostile text must end in an error, never in abort() or operator new.
#define RAPIDJSON_ASSERT(condition) ((void)0)
#define RAPIDJSON_NEW(object) nullptr
#define RAPIDJSON_DELETE(object) ((void)(object))

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace
{

// InsituStringStream with an end that can be cut off.
struct Stream {
    using Ch = char;

    char *source;
    char *target;
    char *head;
    char *end;

    char Peek() const
    {
        return *source;
    }
    char Take()
    {
        return *source++;
    }
    size_t Tell() const
    {
        return static_cast<size_t>(source - head);
    }
    void Put(char byte)
    {
        *target++ = byte;
    }
    char *PutBegin()
    {
        return target = source;
    }
    size_t PutEnd(char *begin) const
    {
        return static_cast<size_t>(target - begin);
    }
    void Flush() {}
};

// RapidJSON's stack holds 8 bytes for each open container, and it does not expect an allocation to
// fail. So it gets one block that is large enough for the deepest text (twice, since it grows by
// half). Where it asked for more all the same, the rest of the text would be blanked, so that it
// ends within a few pushes, for which the block has a reserve.
class FixedStack
{
  public:
    explicit FixedStack(Stream *stream) : stream_(stream) {}

    void *Malloc(size_t size)
    {
        return Realloc(nullptr, 0, size);
    }
    void *Realloc(void *, size_t, size_t new_size)
    {
        if (new_size > kUsable && !exceeded_) {
            exceeded_ = true;
            memset(stream_->source, 0, static_cast<size_t>(stream_->end - stream_->source));
        }
        return block_;
    }
    static void Free(void *) {}
    bool exceeded() const
    {
        return exceeded_;
    }

  private:
    static const size_t kUsable = 2 * 8 * ETS_JSON_MAX_DEPTH;
    static const size_t kReserve = 256;

    Stream *stream_;
    bool exceeded_ = false;
    alignas(8) char block_[kUsable + kReserve];
};

class Handler
{
  public:
    Handler(ets_json *json, ets_json_failure *failure) : json_(json), failure_(failure) {}

    bool Null()
    {
        return Add(ETS_JSON_NULL) != nullptr;
    }
    bool Bool(bool value)
    {
        ets_json_value *added = Add(ETS_JSON_BOOL);
        if (added != nullptr) added->as.integer = value ? 1 : 0;
        return added != nullptr;
    }
    // Numbers come as their text: RapidJSON's own rounding relies on undefined behaviour where 20
    // digits just overflow 64 bits.
    bool Int(int)
    {
        return false;
    }
    bool Uint(unsigned)
    {
        return false;
    }
    bool Int64(int64_t)
    {
        return false;
    }
    bool Uint64(uint64_t)
    {
        return false;
    }
    bool Double(double)
    {
        return false;
    }
    bool RawNumber(const char *text, rapidjson::SizeType size, bool)
    {
        ets_json_value *added = Add(ETS_JSON_NULL);
        return added != nullptr &&
               ets_json_set_number(added, text, size, json_->keeps_decimals, failure_) == 0;
    }
    bool String(const char *text, rapidjson::SizeType size, bool)
    {
        ets_json_value *added = Add(ETS_JSON_TEXT);
        if (added == nullptr) return false;
        added->size = size;
        added->as.text = const_cast<char *>(text);  // in the buffer that the caller gave
        return true;
    }
    bool Key(const char *text, rapidjson::SizeType size, bool copy)
    {
        return String(text, size, copy);
    }
    bool StartObject()
    {
        return Open(ETS_JSON_OBJECT);
    }
    bool EndObject(rapidjson::SizeType count)
    {
        return Close(count);
    }
    bool StartArray()
    {
        return Open(ETS_JSON_ARRAY);
    }
    bool EndArray(rapidjson::SizeType count)
    {
        return Close(count);
    }

  private:
    ets_json_value *Add(ets_json_kind kind)
    {
        if (json_->count == json_->capacity && ets_json_grow(json_, failure_) != 0) return nullptr;
        ets_json_value *value = &json_->values[json_->count++];
        value->kind = static_cast<uint32_t>(kind);
        value->size = 0;
        value->as.integer = 0;
        return value;
    }
    // Until its end an open container's span names the container around it.
    bool Open(ets_json_kind kind)
    {
        if (depth_ == ETS_JSON_MAX_DEPTH) {
            failure_->status = ETS_LIMIT;
            failure_->text = "nested too deeply";
            return false;
        }
        const size_t index = json_->count;
        ets_json_value *value = Add(kind);
        if (value == nullptr) return false;
        value->as.span = innermost_;
        innermost_ = index;
        depth_++;
        return true;
    }
    bool Close(rapidjson::SizeType count)
    {
        ets_json_value *value = &json_->values[innermost_];
        const size_t outer = static_cast<size_t>(value->as.span);
        value->size = count;
        value->as.span = json_->count - innermost_;
        innermost_ = outer;
        depth_--;
        return true;
    }

    ets_json *json_;
    ets_json_failure *failure_;
    size_t innermost_ = 0;
    int depth_ = 0;
};

}  // namespace

namespace rapidjson
{
// Lets the parser keep the stream's position in registers.
template <>
struct StreamTraits<Stream> {
    enum { copyOptimization = 1 };
};
}  // namespace rapidjson

extern "C" enum ets_status ets_json_scan(struct ets_json *json, char *text, size_t size,
                                         struct ets_json_failure *failure)
{
    constexpr unsigned flags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                               rapidjson::kParseNanAndInfFlag |
                               rapidjson::kParseNumbersAsStringsFlag;
    Stream stream = {text, text, text, text + size};
    FixedStack memory(&stream);
    Handler handler(json, failure);
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, FixedStack> reader(&memory);
    const rapidjson::ParseResult result = reader.Parse<flags>(stream, handler);
    failure->offset = result.IsError() ? result.Offset() : stream.Tell();
    if (memory.exceeded()) {
        failure->status = ETS_LIMIT;
        failure->text = "nested too deeply";
    } else if (failure->status != ETS_OK) {
        return failure->status;  // the handler has said why
    } else if (result.IsError()) {
        failure->status = ETS_MALFORMED;
        failure->text = rapidjson::GetParseError_En(result.Code());
    } else if (stream.Tell() != size) {
        failure->status = ETS_MALFORMED;  // a NUL byte ended the text early
        failure->text = "the text has a zero byte";
    }
    return failure->status;
}
