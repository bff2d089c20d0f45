import assert from "node:assert/strict";
import { test } from "node:test";
import { toJson, toTsv } from "../../../web/src/parts/copy";
import {
    chooseUnit,
    fixed,
    formatBytes,
    formatCount,
    formatShare,
    formatShareBriefly,
    formatTime,
    fourDigits,
    sayTime,
} from "../../../web/src/text/format";
import { cut, show } from "../../../web/src/text/show";

const exactly = (value: number) => ({ lower: value, upper: value });
const US = chooseUnit(1000, "ns");

test("times are what the terminal prints", () => {
    assert.equal(formatTime(exactly(196553), US), "196.553");
    assert.equal(formatTime(exactly(0), US), "0.000");
    assert.equal(formatTime(exactly(0.4), US), "<0.001");
    assert.equal(formatTime({ lower: 0, upper: 1000 }, US), "<1");
    assert.equal(formatTime({ lower: 3000, upper: 4000 }, US), "3..4");
    assert.equal(formatTime({ lower: 12480, upper: 14480 }, US), "12.48..14.48");
    assert.equal(formatTime({ lower: 93000, upper: 103900 }, US), "93..103.9");
    assert.equal(formatTime({ lower: 12345678, upper: 23456789 }, US), "12346..23457");
    assert.equal(formatTime({ lower: 12000.1, upper: 12000.2 }, US), "12");
    assert.equal(formatTime(null, US), "–");
    assert.equal(formatTime(exactly(2.5), chooseUnit(0, "cycles")), "2");
});

test("the unit follows the largest value of a column", () => {
    assert.equal(chooseUnit(9.9e7, "ns").name, "us");
    assert.equal(chooseUnit(1e8, "ns").name, "ms");
    assert.equal(chooseUnit(1e11, "ns").name, "s");
    assert.equal(chooseUnit(1e11, "cycles").name, "cycles");
});

test("shares are what the terminal prints", () => {
    assert.equal(formatShare(exactly(1)), "100.0%");
    assert.equal(formatShare(exactly(0.0004)), "<0.1%");
    assert.equal(formatShare(exactly(0)), "0.0%");
    assert.equal(formatShare({ lower: 0, upper: 0.0049 }), "<0.5%");
    assert.equal(formatShare({ lower: 0.02, upper: 0.025 }), "2.0..2.5%");
});

test("digits are those of printf", () => {
    assert.equal(fixed(0.5, 0), "0");
    assert.equal(fixed(1.5, 0), "2");
    assert.equal(fixed(-2.5, 0), "-2");
    assert.equal(fixed(12.25, 1), "12.2");
    assert.equal(fixed(12.35, 1), "12.3"); /* as a double less than 12.35 */
    assert.equal(fixed(1e21, 0), "1e+21");
    assert.equal(fourDigits(12345), "1.234e+04");
    assert.equal(fourDigits(9999.9), "1e+04");
    assert.equal(fourDigits(0.00001234), "1.234e-05");
    assert.equal(fourDigits(0.5), "0.5");
    assert.equal(fourDigits(100), "100");
});

test("sentences name their unit", () => {
    assert.equal(sayTime(exactly(130), "ns"), "130 ns");
    assert.equal(sayTime(exactly(196553), "ns"), "196.6 us");
    assert.equal(sayTime({ lower: 0, upper: 1000 }, "ns"), "<1 us");
    assert.equal(sayTime(exactly(12), "cycles"), "12 cycles");
    assert.equal(sayTime(null, "ns"), "unknown");
});

test("shares in little space are wider, never narrower", () => {
    assert.equal(formatShareBriefly({ lower: 0.192, upper: 0.291 }), "19..30%");
    assert.equal(formatShareBriefly({ lower: 0.004, upper: 0.021 }), "<3%");
    assert.equal(formatShareBriefly(exactly(0.291)), "29.1%");
});

test("bytes and counts", () => {
    assert.equal(formatBytes(1023), "1023 B");
    assert.equal(formatBytes(39014), "38.1 KiB");
    assert.equal(formatBytes(null), "–");
    assert.equal(formatCount(1234567), "1,234,567");
});

test("nothing invisible and nothing that reorders is shown", () => {
    assert.equal(show("a\u202eb"), "a\\u202eb");
    assert.equal(show("\u0000\u001b[31m\u0085"), "\\x00\\x1b[31m\\x85");
    assert.equal(show("\ufeff\u2066x\u200f"), "\\ufeff\\u2066x\\u200f");
    assert.equal(show("größe 🙂 <b>"), "größe 🙂 <b>");
});

test("long names are cut in the middle, between characters", () => {
    assert.equal(cut("x".repeat(200)), "x".repeat(200));
    const short = cut(`${"🙂".repeat(300)}end`, 30);
    assert.equal([...short].length, 30);
    assert.match(short, /^(🙂)+…(🙂)+end$/u);
});

test("copies start no formula", () => {
    const rows = [
        ["=1+1", 2],
        ["@x\ty", null],
        ["plain", -1],
    ];
    assert.equal(toTsv(["name", "n"], rows), "name\tn\n'=1+1\t2\n'@x y\t\nplain\t-1\n");
    for (const start of ["+", "-", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t=", "\n=", "\r="]) {
        assert.match(toTsv(["name"], [[`${start}1`]]), /\n'/);
    }
    assert.equal(toTsv(["a", "b"], [['"x\t=1', 'y"']]), 'a\tb\n"""x =1"\ty"\n');
    assert.deepEqual(JSON.parse(toJson(["name", "n"], rows))[1], { name: "@x\ty", n: null });
});
