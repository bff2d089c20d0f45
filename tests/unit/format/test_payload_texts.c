/* The small readers of payloads: Protocol Buffers, JSON, XML, and a directory of files; whole,
 * strange and cut anywhere. */
#include "base/text.h"
#include "format/coreml.h"
#include "format/json_cursor.h"
#include "format/openvino.h"
#include "format/protobuf.h"
#include "format/xml.h"
#include "test_files_support.h"

static void assert_text(struct ets_text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

static void protobuf__fields_are_read_in_their_order(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x1d, 0,   0,
                                    0x80, 0x3f, 0x08, 0x05, 0x22, 3,   1,   0xac, 0x02};
    struct ets_protobuf message = ets_protobuf_of((struct ets_bytes){bytes, sizeof bytes});
    struct ets_protobuf_field field;
    static const uint32_t numbers[] = {1, 2, 3, 1, 4};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        assert_true(ets_protobuf_next(&message, &field));
        assert_int_equal(field.number, numbers[i]);
    }
    assert_false(ets_protobuf_next(&message, &field));
    assert_false(message.is_broken);
    assert_int_equal(ets_protobuf_find_number(message.bytes, 1, 0), 5); /* the last counts */
    assert_int_equal(ets_protobuf_find_number(message.bytes, 9, 7), 7);
    assert_int_equal(ets_protobuf_find_number(message.bytes, 3, 0), 0x3f800000);
    assert_text(ets_protobuf_find_text(message.bytes, 2), "hi");
    uint64_t number;
    size_t at = 0;
    assert_true(ets_protobuf_find(message.bytes, 4, &field));
    assert_true(ets_protobuf_number(&field, ETS_PROTOBUF_VARINT, &at, &number));
    assert_int_equal(number, 1);
    assert_true(ets_protobuf_number(&field, ETS_PROTOBUF_VARINT, &at, &number));
    assert_int_equal(number, 300);
    assert_false(ets_protobuf_number(&field, ETS_PROTOBUF_VARINT, &at, &number));
}

static void protobuf__what_is_no_field_ends_the_message(void **state)
{
    (void)state;
    static const uint8_t broken[][12] = {
        {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, /* too long */
        {0x12, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0},                               /* too large */
        {0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                  /* a group */
        {0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                  /* field 0 */
    };
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct ets_protobuf message = ets_protobuf_of((struct ets_bytes){broken[i], 12});
        struct ets_protobuf_field field;
        while (ets_protobuf_next(&message, &field)) assert_true(message.at <= 12);
        assert_true(message.is_broken);
    }
}

static void json_cursor__enters_and_skips(void **state)
{
    (void)state;
    static const char text[] =
        " {\"a\" : [1, {\"b\\\"]\": \"}\"}, -2], \"c\": \"d\\\\\", \"n\": 42 } ";
    struct ets_json_cursor cursor = {.text = ets_text_of(text)};
    struct ets_text key, value;
    uint64_t number;
    assert_true(ets_json_cursor_enter(&cursor, '{'));
    assert_true(ets_json_cursor_member(&cursor, &key));
    assert_text(key, "a");
    ets_json_cursor_value(&cursor, &value);
    assert_text(value, "[1, {\"b\\\"]\": \"}\"}, -2]");
    assert_true(ets_json_cursor_member(&cursor, &key));
    assert_true(ets_json_cursor_text(&cursor, &value));
    assert_text(value, "d\\\\");
    assert_true(ets_json_cursor_member(&cursor, &key));
    assert_true(ets_json_cursor_count(&cursor, &number));
    assert_int_equal(number, 42);
    assert_false(ets_json_cursor_member(&cursor, &key));
    assert_false(cursor.is_broken);
    for (size_t size = 0; size + 2 < sizeof text; size++) {
        struct ets_json_cursor cut = {.text = {text, size}};
        if (!ets_json_cursor_enter(&cut, '{')) continue;
        while (ets_json_cursor_member(&cut, &key)) ets_json_cursor_skip(&cut);
        assert_true(cut.is_broken || size >= sizeof text - 3);
    }
}

static void xml__elements_have_names_attributes_and_depth(void **state)
{
    (void)state;
    static const char text[] =
        "<?xml version='1.0'?><!-- <no> -->\n<a b='x > y' c = \"&lt;&#x41;&;\">"
        "<d/>text<e\n>1</e ></a>";
    struct ets_xml xml = {.text = ets_text_of(text)};
    struct ets_text value;
    char plain[16];
    assert_true(ets_xml_next(&xml));
    assert_text(xml.name, "a");
    assert_true(ets_xml_attribute(&xml, "b", &value));
    assert_text(value, "x > y");
    assert_true(ets_xml_attribute(&xml, "c", &value));
    assert_int_equal(ets_xml_unescape(value, plain), 4);
    assert_memory_equal(plain, "<A&;", 4);
    assert_false(ets_xml_attribute(&xml, "d", &value));
    assert_true(ets_xml_next(&xml));
    assert_true(xml.is_empty && xml.depth == 1);
    assert_true(ets_xml_next(&xml));
    assert_text(xml.before, "text");
    assert_true(ets_xml_next(&xml));
    assert_text(xml.before, "1");
    assert_true(xml.kind == ETS_XML_CLOSE && xml.depth == 1);
    assert_true(ets_xml_next(&xml));
    assert_int_equal(xml.depth, 0);
    assert_false(ets_xml_next(&xml));
    assert_false(xml.is_broken);
}

static void xml__is_bounded(void **state)
{
    (void)state;
    static const char *const broken[] = {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>",
                                         "<a",
                                         "</a>",
                                         "<a><b",
                                         "<a b='",
                                         "<>",
                                         "< a/>",
                                         "<a>"};
    for (size_t i = 0; i < COUNT(broken); i++) {
        struct ets_xml xml = {.text = ets_text_of(broken[i])};
        while (ets_xml_next(&xml)) assert_true(xml.at <= xml.text.size);
        assert_true(xml.is_broken);
    }
    char deep[3 * 4096];
    for (size_t i = 0; i < sizeof deep; i++) deep[i] = "<a>"[i % 3];
    struct ets_xml xml = {.text = {deep, sizeof deep}};
    uint32_t tags = 0;
    while (ets_xml_next(&xml)) tags++;
    assert_true(xml.is_broken);
    assert_int_equal(tags, ETS_XML_MOST_NESTED + 1);
}

/* A payload with the directory `json`; returns its size. */
static size_t make_package(const char *content, const char *json, uint8_t *out)
{
    const size_t size = strlen(content), length = strlen(json);
    memcpy(out, content, size);
    for (size_t i = 0; i < length; i++) out[size + i] = (uint8_t)json[length - 1 - i];
    return size + length;
}

static enum ets_status open_package(struct ets_bytes payload, struct ets_coreml_files *files,
                                    struct ets_coreml_entry *entries, char *text)
{
    uint32_t count;
    const size_t size = ets_coreml_directory_size(payload);
    if (size == 0) return ETS_WRONG_KIND;
    ets_coreml_directory_read(payload, size, text);
    const struct ets_text directory = {text, size};
    const enum ets_status status = ets_coreml_count(directory, &count, NULL);
    if (status != ETS_OK) return status;
    return ets_coreml_init(files, payload, directory, entries, count, NULL);
}

static void coreml__files_are_found_by_path(void **state)
{
    (void)state;
    static const char json[] =
        "{\"nodes\":[{\"name\":\"metadata.json\",\"kind\":0,\"dataRegion\":{\"offset\":2,\"size\":"
        "3},"
        "\"children\":{}},{\"name\":\"root\",\"kind\":1,\"dataRegion\":null,\"children\":{"
        "\"metadata.json\":0,\"self\":1}}]}";
    uint8_t payload[512];
    char text[512];
    struct ets_coreml_files files;
    struct ets_coreml_entry entries[4];
    size_t size = make_package("xxabc", json, payload);
    payload[size++] = 0; /* padding */
    assert_int_equal(open_package((struct ets_bytes){payload, size}, &files, entries, text),
                     ETS_OK);
    assert_int_equal(files.file_count, 1);
    assert_int_equal(files.file_bytes, 3);
    const struct ets_bytes file = ets_coreml_file(&files, "metadata.json");
    assert_text((struct ets_text){(const char *)file.data, file.size}, "abc");
    assert_null(ets_coreml_find(&files, "self/metadata.json")); /* folders in a circle end */
    assert_null(ets_coreml_find(&files, "metadata.json/x"));
    for (size_t start = 1; start < size; start++) {
        const struct ets_bytes cut = {payload + start, size - start};
        const enum ets_status status = open_package(cut, &files, entries, text);
        assert_true(status == ETS_OK || status == ETS_MALFORMED || status == ETS_WRONG_KIND);
        if (start > 5) assert_int_equal(status, ETS_WRONG_KIND);
    }
}

static void coreml__a_file_outside_is_refused(void **state)
{
    (void)state;
    static const char *const regions[] = {"{\"offset\":2,\"size\":900}",
                                          "{\"offset\":99999,\"size\":1}",
                                          "{\"offset\":-1,\"size\":1}"};
    for (size_t i = 0; i < COUNT(regions); i++) {
        char json[256], text[512];
        uint8_t payload[512];
        struct ets_coreml_files files;
        struct ets_coreml_entry entries[4];
        snprintf(json, sizeof json, "{\"nodes\":[{\"kind\":0,\"dataRegion\":%s}]}", regions[i]);
        const size_t size = make_package("xxabc", json, payload);
        assert_int_equal(open_package((struct ets_bytes){payload, size}, &files, entries, text),
                         ETS_MALFORMED);
    }
}

static void openvino__other_blobs_are_told(void **state)
{
    (void)state;
    struct ets_openvino blob;
    struct ets_error error = {.message = ""};
    assert_int_equal(
        ets_openvino_init(&blob, (struct ets_bytes){(const uint8_t *)"gpu blob", 8}, &error),
        ETS_UNSUPPORTED);
    assert_non_null(strstr(error.message, "of 8 bytes for another device"));
    uint8_t header[80] = "RR_UPCVO\1";
    assert_int_equal(ets_openvino_init(&blob, (struct ets_bytes){header, 40}, NULL), ETS_TRUNCATED);
    assert_int_equal(ets_openvino_init(&blob, (struct ets_bytes){header, 80}, NULL), ETS_OK);
    header[20 + 16] = 200; /* where constants are */
    assert_int_equal(ets_openvino_init(&blob, (struct ets_bytes){header, 80}, NULL), ETS_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protobuf__fields_are_read_in_their_order),
        cmocka_unit_test(protobuf__what_is_no_field_ends_the_message),
        cmocka_unit_test(json_cursor__enters_and_skips),
        cmocka_unit_test(xml__elements_have_names_attributes_and_depth),
        cmocka_unit_test(xml__is_bounded),
        cmocka_unit_test(coreml__files_are_found_by_path),
        cmocka_unit_test(coreml__a_file_outside_is_refused),
        cmocka_unit_test(openvino__other_blobs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
