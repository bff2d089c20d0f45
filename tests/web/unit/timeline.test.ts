import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { readEvents } from "../../../web/src/document/events";
import { Operators } from "../../../web/src/state/operators";
import { JOIN_TABLES } from "../../../web/src/state/page";
import {
    clamp,
    parseSpan,
    reveal,
    ticks,
    writeSpan,
    zoom,
} from "../../../web/src/views/timeline/axis";
import type { Range } from "../../../web/src/text/format";
import {
    AlignedPicture,
    lostIn,
    notableRuns,
} from "../../../web/src/views/timeline/aligned_picture";
import { sumsIn } from "../../../web/src/views/timeline/in_range";
import { binsOf, extremesOf, timesOf } from "../../../web/src/views/timeline/operator_runs";
import type { Row } from "../../../web/src/views/timeline/picture";
import { rowsIn } from "../../../web/src/views/timeline/range_rows";
import { TimePicture } from "../../../web/src/views/timeline/time_picture";
import { Track } from "../../../web/src/views/timeline/track";
import {
    callTree,
    mergedTree,
    moduleTree,
    TreePicture,
} from "../../../web/src/views/timeline/tree_picture";
import { encodeEvents, encodeTables } from "../encode";
import { smallTables } from "../small_tables";

/** Numbers from 0 to 1 that are the same in each run of the test. */
function randomOf(seed: number): () => number {
    let state = seed;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

interface Item {
    start: number;
    end: number;
}

function itemsOf(count: number, random: () => number): Item[] {
    let at = 0;
    return Array.from({ length: count }, () => {
        const start = at + Math.floor(random() * 5);
        const length = random() < 0.1 ? 0 : Math.floor(random() ** 6 * 400);
        at = start + length;
        return { start, end: at };
    });
}

const trackOf = (items: readonly Item[]) =>
    new Track(
        Float64Array.from(items, ({ start }) => start),
        Float64Array.from(items, ({ end }) => end),
        Int32Array.from(items, (_, i) => i),
    );

test("a lane visits every item in sight, alone or in a group that is narrow", () => {
    const random = randomOf(7);
    for (const count of [0, 1, 2, 7, 8, 9, 63, 64, 65, 513, 3000]) {
        const items = itemsOf(count, random);
        const track = trackOf(items);
        const last = items[items.length - 1]?.end ?? 1;
        for (let i = 0; i < 40; i++) {
            const ends = [random() * last, random() * last].sort((a, b) => a - b);
            const span = { from: ends[0] ?? 0, to: ends[1] ?? 0 };
            const narrow = i % 4 === 0 ? 0 : random() * 300;
            const isSeen = ({ start, end }: Item) => start <= span.to && end >= span.from;
            let covered = 0;
            let before = -Infinity;
            track.visit(span, narrow, (start, end, busy, longest, isGroup) => {
                assert.ok(start >= before);
                before = start;
                const inside = items.filter(
                    (item, k) =>
                        item.start >= start && item.end <= end && (isGroup || k === longest),
                );
                const lengths = inside.map((item) => item.end - item.start);
                if (isGroup) {
                    assert.ok(end - start < narrow);
                    /* Items of no length at its ends may belong to its neighbours. */
                    assert.equal(
                        busy,
                        lengths.reduce((sum, length) => sum + length, 0),
                    );
                    const item = items[longest] as Item;
                    assert.equal(item.end - item.start, Math.max(...lengths));
                } else {
                    assert.deepEqual([start, end], [items[longest]?.start, items[longest]?.end]);
                    assert.equal(busy, end - start);
                    assert.ok(isSeen(items[longest] as Item));
                }
                covered += isGroup ? inside.filter(isSeen).length : 1;
            });
            const expected = items.filter(isSeen).length;
            if (narrow === 0) assert.equal(covered, expected);
            else assert.ok(covered >= expected, `${covered} of ${expected}`);
        }
    }
});

test("the longest item in sight is found", () => {
    const random = randomOf(11);
    const items = itemsOf(700, random);
    const track = trackOf(items);
    const last = items[items.length - 1]?.end ?? 1;
    for (let i = 0; i < 200; i++) {
        const from = random() * last;
        const span = { from, to: from + random() * 50 };
        const lengths = items
            .filter(({ start, end }) => start <= span.to && end >= span.from)
            .map(({ start, end }) => end - start);
        const found = items[track.longestIn(span)];
        assert.equal(
            found && found.end - found.start,
            lengths.length ? Math.max(...lengths) : undefined,
        );
        assert.equal(track.firstFrom(from), items.filter(({ start }) => start < from).length);
    }
});

test("what is visited is bounded by the width, not by the items", () => {
    const items = itemsOf(200_000, randomOf(3));
    const track = trackOf(items);
    const last = items[items.length - 1]?.end ?? 1;
    for (const part of [1, 0.3, 0.01, 0.0001]) {
        let visits = 0;
        track.visit({ from: 0, to: last * part }, (last * part) / 1000, () => visits++);
        assert.ok(visits <= 8 * 1000, `${visits} visits`);
    }
});

test("items out of order are sorted", () => {
    const track = new Track(
        Float64Array.of(5, 1, 3),
        Float64Array.of(6, 2, 4),
        Int32Array.of(0, 1, 2),
    );
    assert.deepEqual([...track.starts], [1, 3, 5]);
    assert.deepEqual([...track.ends], [2, 4, 6]);
    assert.deepEqual([...track.refs], [1, 2, 0]);
});

test("the axis zooms at a place, stays inside, and counts in 1, 2 and 5", () => {
    const extent = { from: 0, to: 1000 };
    assert.deepEqual(zoom({ from: 0, to: 800 }, 200, 0.5, extent), { from: 100, to: 500 });
    assert.deepEqual(clamp({ from: -500, to: -300 }, extent), { from: -20, to: 180 });
    assert.deepEqual(clamp({ from: -1e6, to: 1e6 }, extent), { from: -20, to: 1020 });
    const deepest = zoom({ from: 500, to: 516 }, 508, 0.01, extent);
    assert.equal(deepest.to - deepest.from, 16);
    const labels = (from: number, to: number, unit = "ns") =>
        ticks({ from, to }, 5, 0, unit).map(({ label }) => label);
    assert.deepEqual(labels(0, 1000), ["0.0 us", "0.2 us", "0.4 us", "0.6 us", "0.8 us", "1.0 us"]);
    assert.deepEqual(labels(1500, 2200), ["1.6 us", "1.8 us", "2.0 us", "2.2 us"]);
    assert.deepEqual(labels(0, 2e6), ["0.0 ms", "0.5 ms", "1.0 ms", "1.5 ms", "2.0 ms"]);
    assert.deepEqual(labels(0, 100), ["0 ns", "20 ns", "40 ns", "60 ns", "80 ns", "100 ns"]);
    assert.deepEqual(labels(0, 2000, "cycles"), [
        "0 cycles",
        "500 cycles",
        "1,000 cycles",
        "1,500 cycles",
        "2,000 cycles",
    ]);
    assert.deepEqual(
        ticks({ from: 100, to: 200 }, 2, 90, "ns").map(({ at }) => at),
        [140, 190],
        "from the origin",
    );
    const span = { from: 0, to: 100 };
    assert.equal(reveal(span, { from: 10, to: 20 }), span);
    assert.deepEqual(reveal(span, { from: 200, to: 220 }), { from: 160, to: 260 });
    assert.deepEqual(parseSpan(writeSpan({ from: -3.4, to: 88.6 })), { from: -3, to: 89 });
    for (const text of ["", "5..5", "9..1", "1..x", "1e9..2e9", `1..${"9".repeat(20)}`])
        assert.equal(parseSpan(text), null, text);
});

/**
 * Two runs of 10 us: a kernel in its wrapper, and a delegate's call with two whole microseconds and
 * one of a clock of its own.
 */
async function small(modules: Record<number, string> = {}) {
    const [tables, types] = smallTables();
    for (const [id, module] of Object.entries(modules))
        tables.operators!.module![Number(id)] = module;
    tables.modules = {
        block: [0, 0, 1, 0],
        parent: [null, 0, null, 2],
        path: ["net", "net.l1", "load", "of another block"],
        mid: [7000, 3000, 5, 4],
        mid_upper: [null, 5000, null, null],
    };
    const { heads, sections } = encodeTables(tables, types);
    const head = readHead(
        JSON.stringify({ format: "etscope-report", version: 1, writer: "etscope", tables: heads }),
    );
    const document = new ReportDocument(head, async (id) => sections.get(id) ?? null);
    await document.load([...JOIN_TABLES, "modules"]);
    const operators = new Operators(document);
    const bytes = encodeEvents({
        operator: [0, 1, 2, 3, 4, 5],
        parent: [-1, 0, 1, 0, 3, 3],
        runStart: [500, 50_500],
        gaps: [
            [0, 0],
            [100, 100],
            [50, 50],
            [400, 900],
            [0, 0],
            [0, 0],
        ],
        durations: [
            [10_000, 12_000],
            [1100, 1100],
            [1000, 1000],
            [6000, 6000],
            [3000, 4000],
            [77, 77],
        ],
    });
    const matrix = readEvents({ block: 0, positions: 6, runs: 2, bytes: bytes.length }, bytes);
    const block = operators.blocks[0]!;
    return {
        document,
        operators,
        block,
        picture: new TimePicture(operators, matrix, block, [1, 2]),
    };
}

test("a run is shown with room, but without its neighbours, and counts alone", async () => {
    const { picture, operators } = await small();
    const room = picture.around(0);
    assert.ok(room.from < 0 && room.to > 10_000 && room.to < 50_000, JSON.stringify(room));
    picture.runs[1] = { from: 10_100, to: 22_100 };
    assert.equal(picture.around(0).to, 10_100);
    assert.equal(sumsIn(picture, operators, picture.around(0)).runs, 1);
});

test("events stand in lanes by what encloses them, delegates' own in a lane without places", async () => {
    const { picture } = await small();
    assert.deepEqual(
        picture.lanes.map(({ title, note, isDerived, track }) => ({
            title,
            note,
            isDerived,
            spans: [...track.starts].map((start, i) => [start, track.ends[i]]),
        })),
        [
            {
                title: "forward",
                note: "",
                isDerived: false,
                spans: [
                    [0, 10_000],
                    [50_000, 62_000],
                ],
            },
            {
                title: "",
                note: "",
                isDerived: false,
                spans: [
                    [150, 1150],
                    [1600, 7600],
                    [50_150, 51_150],
                    [52_100, 58_100],
                ],
            },
            {
                title: "XnnpackBackend",
                note: "order as reported",
                isDerived: true,
                spans: [
                    [1600, 4600],
                    [52_100, 56_100],
                ],
            },
        ],
    );
    assert.equal(picture.untimed, 1);
    assert.deepEqual(picture.runs, [
        { from: 0, to: 10_000 },
        { from: 50_000, to: 62_000 },
    ]);
    assert.equal(picture.medianRun, 0);
    const place = picture.find(4, 1)!;
    assert.deepEqual(place, { lane: 2, item: 1 });
    const said = picture.describe(picture.lanes[2]!.track.refs[1]!);
    assert.deepEqual(said, [
        "Fully Connected #1",
        "4..5 us",
        "run 2, place unknown: order as reported",
        "net.l1",
        "a.py:2",
    ]);
    assert.deepEqual(picture.origin({ from: 50_100, to: 51_000 }), {
        at: 50_000,
        title: "in run 2",
    });
    assert.deepEqual(picture.origin({ from: 0, to: 51_000 }), { at: 0, title: "since run 1" });
});

test("a range adds what is inside; what a delegate reports is a range where its call is cut", async () => {
    const { picture, operators } = await small();
    const sums = (from: number, to: number) => {
        const found = sumsIn(picture, operators, { from, to });
        const rows = rowsIn(picture, operators, found, "list").map(
            ({ operator, calls, time, self }) => [
                ...[operator, calls, time.lower, time.upper],
                ...[self?.lower, self?.upper],
            ],
        );
        return { runs: found.runs, time: found.time, rows };
    };
    assert.deepEqual(sums(-100, 70_000), {
        runs: 2,
        time: 22_000,
        rows: [
            [0, 2, 22_000, 22_000, 8000, 8000],
            [4, 2, 7000, 9000, 7000, 9000],
            [3, 2, 12_000, 12_000, 3000, 5000],
            [2, 2, 2000, 2000, 2000, 2000],
        ],
    });
    assert.deepEqual(sums(650, 3600), {
        runs: 1,
        time: 2950,
        rows: [
            [2, 1, 500, 500, 500, 500],
            [0, 1, 2950, 2950, 450, 450],
            [3, 1, 2000, 2000, 0, 2000],
            [4, 1, 0, 2000, 0, 2000],
        ],
    });
    assert.deepEqual(sums(20_000, 30_000), { runs: 0, time: 0, rows: [] });
});

/** Name, total and self of rows, those inside indented. */
function outlineOf(rows: readonly Row[], depth = 0): string[] {
    const say = (time: Range | null) =>
        time === null ? "-" : [...new Set([time.lower, time.upper])].join("..");
    return rows.flatMap((row) => [
        `${"  ".repeat(depth)}${row.name} ${say(row.time)} ${say(row.self)}`,
        ...outlineOf(row.children, depth + 1),
    ]);
}

test("a range as a call tree: modules and calls hold what they call, nothing counts twice", async () => {
    const { picture, operators } = await small();
    const found = sumsIn(picture, operators, { from: -100, to: 70_000 });
    const rows = rowsIn(picture, operators, found, "calls");
    assert.deepEqual(outlineOf(rows), [
        "Method::execute 22000 8000",
        "  net 14000 -",
        "    l1 12000 -",
        "      DELEGATE_CALL, instruction 1 12000 3000..5000",
        "        Fully Connected #1 7000..9000 7000..9000",
        "    add.out 2000 2000",
    ]);
    const modules = rows[0]!.children;
    assert.deepEqual(
        [modules[0]!.module, modules[0]!.children[0]!.module, modules[0]!.isModule],
        ["net", "net.l1", true],
    );
    assert.equal(rows[0]!.share.lower, 1);
});

test("modules of a call tree are joined, and numbers say what they count", async () => {
    const layers = { 2: "net.layers.0.attn", 3: "net.layers.1.attn", 4: "net.layers.1.attn" };
    const { picture, operators } = await small(layers);
    const found = sumsIn(picture, operators, { from: -100, to: 70_000 });
    assert.deepEqual(outlineOf(rowsIn(picture, operators, found, "calls")), [
        "Method::execute 22000 8000",
        "  net.layers 14000 -",
        "    layers.1.attn 12000 -",
        "      DELEGATE_CALL, instruction 1 12000 3000..5000",
        "        Fully Connected #1 7000..9000 7000..9000",
        "    layers.0.attn 2000 -",
        "      add.out 2000 2000",
    ]);
    const several = await small({ ...layers, 3: "net.layers.0.attn, net.layers.1.mlp" });
    const rows = rowsIn(several.picture, operators, found, "calls");
    assert.equal(rows[0]!.children[0]!.name, "net.layers", "holds them all");
});

test("the call tree of a module path of any length has few rows, with a number each", async () => {
    const long = "m.".repeat(20_000);
    const { picture, operators } = await small({ 2: `${long}a`, 3: `${long}b`, 4: `${long}b` });
    const rowsOf = (from: number) =>
        rowsIn(picture, operators, sumsIn(picture, operators, { from, to: 70_000 }), "calls");
    const keys: Row["key"][] = [];
    const visit = (rows: readonly Row[]) => {
        for (const { key, children } of rows) {
            keys.push(key);
            visit(children);
        }
    };
    visit(rowsOf(-100));
    assert.ok(keys.length < 10, `${keys.length} rows`);
    assert.equal(new Set(keys).size, keys.length);
    const before = [...keys];
    keys.length = 0;
    visit(rowsOf(40_000));
    assert.ok(keys.length > 0 && keys.every((key) => before.includes(key)), "in another sight");
});

test("a range bottom-up: operators of a name, in them their modules and calls", async () => {
    const { picture, operators } = await small();
    const found = sumsIn(picture, operators, { from: -100, to: 70_000 });
    const rows = rowsIn(picture, operators, found, "callers");
    assert.deepEqual(outlineOf(rows), [
        "Method::execute 22000 8000",
        "Fully Connected 7000..9000 7000..9000",
        "  net.l1 7000..9000 7000..9000",
        "    DELEGATE_CALL, instruction 1 7000..9000 7000..9000",
        "DELEGATE_CALL 12000 3000..5000",
        "  net.l1 12000 3000..5000",
        "add.out 2000 2000",
        "  net 2000 2000",
    ]);
    const own = (bound: "lower" | "upper") =>
        rows.reduce((sum, { share }) => sum + share[bound], 0);
    assert.ok(own("lower") <= 1 && own("upper") >= 1, `${own("lower")}..${own("upper")}`);
});

test("an operator's runs fall into bins of one width, not finer than its clock", async () => {
    const { picture } = await small();
    assert.deepEqual(timesOf(picture, 4), [
        { lower: 3000, upper: 4000 },
        { lower: 4000, upper: 5000 },
    ]);
    assert.deepEqual(timesOf(picture, 5), [], "a clock of its own");
    assert.deepEqual(timesOf(picture, 6), [], "it has no event");
    assert.deepEqual(
        binsOf(timesOf(picture, 4), 48).map((bin) => bin?.runs),
        [[0], [1]],
    );
    const exact = (times: number[]) => times.map((time) => ({ lower: time, upper: time }));
    const bins = binsOf(exact([10, 110, 12, 11, 60]), 4);
    assert.deepEqual(bins, [
        { time: { lower: 10, upper: 12 }, runs: [0, 2, 3] },
        null,
        { time: { lower: 60, upper: 60 }, runs: [4] },
        { time: { lower: 110, upper: 110 }, runs: [1] },
    ]);
    assert.deepEqual(
        binsOf(exact([5, 5]), 48).map((bin) => bin?.runs),
        [[0, 1]],
    );
    assert.deepEqual(binsOf([], 48), []);
    assert.deepEqual(extremesOf([10, 110, 12, 11, 60, 110]), {
        shortest: 0,
        median: 2,
        longest: 1,
    });
});

test("runs side by side begin together, and say where the longest lost its time", async () => {
    const { picture, operators } = await small();
    assert.deepEqual(notableRuns(picture), [0, 1], "the shortest is the median, too");
    const aligned = new AlignedPicture(picture, [0, 1], "ns");
    assert.deepEqual(
        aligned.lanes.map(({ title, note, track, ground }) => [
            ...[title, note, [...track.starts], [...track.ends]],
            ground === null ? null : [...ground.starts],
        ]),
        [
            ["run 1", "shortest 10 us", [0], [10_000], null],
            ["", "", [150, 1600], [1150, 7600], [0]],
            ["XnnpackBackend", "order as reported", [1600], [4600], [1600]],
            ["run 2", "longest 12 us", [0], [12_000], null],
            ["", "", [150, 2100], [1150, 8100], [0]],
            ["XnnpackBackend", "order as reported", [2100], [6100], [2100]],
        ],
    );
    assert.deepEqual(aligned.extent, { from: 0, to: 12_000 });
    assert.deepEqual(aligned.find(4, 1), { lane: 5, item: 0 });
    assert.deepEqual(aligned.find(4, 7), { lane: 2, item: 0 }, "of a run that is not shown");
    assert.equal(aligned.find(6, 0), null);
    assert.equal(aligned.isCut, false);
    const many = new AlignedPicture(picture, Array(32).fill(0), "ns");
    assert.ok(many.isCut, "no run is left out for the lanes of others");
    assert.equal(many.lanes.filter(({ title }) => title === "run 1").length, 32);
    assert.equal(many.lanes.length, 64);
    const rows = lostIn(aligned, operators);
    assert.deepEqual(rows, [
        {
            operator: 0,
            times: [
                { lower: 3000, upper: 3000 },
                { lower: 5000, upper: 5000 },
            ],
            lost: { lower: 2000, upper: 2000 },
        },
        {
            operator: 4,
            times: [
                { lower: 3000, upper: 4000 },
                { lower: 4000, upper: 5000 },
            ],
            lost: { lower: 0, upper: 2000 },
        },
        {
            operator: 2,
            times: [
                { lower: 1000, upper: 1000 },
                { lower: 1000, upper: 1000 },
            ],
            lost: { lower: 0, upper: 0 },
        },
        {
            operator: 3,
            times: [
                { lower: 2000, upper: 3000 },
                { lower: 1000, upper: 2000 },
            ],
            lost: { lower: -2000, upper: 0 },
        },
    ]);
});

test("trees hold times per run: by call, and merged by name", async () => {
    const { operators, block } = await small();
    const calls = new TreePicture(operators, block, callTree(operators, block), "forward");
    assert.deepEqual(
        calls.rows().map(({ name, time }) => [name, time.lower, time.upper]),
        [
            ["Method::execute", 10_000, 10_000],
            ["add.out", 1000, 1000],
            ["DELEGATE_CALL", 6000, 6000],
            ["Fully Connected #1", 3000, 5000],
            ["mul.out", 800, 800],
        ],
    );
    assert.deepEqual([...calls.lanes[1]!.track.starts], [0, 1000, 7000]);
    const merged = new TreePicture(operators, block, mergedTree(operators, block), "forward");
    assert.deepEqual([...merged.lanes[1]!.track.starts], [0, 6000, 7000]);
    assert.deepEqual(
        merged.rows().map(({ share }) => share.lower),
        [1, 0.6, 0.3, 0.1, 0.08],
    );
});

test("modules stand in their tree, those of other blocks are left out", async () => {
    const { document, operators, block } = await small();
    const picture = new TreePicture(operators, block, moduleTree(document, block), "forward");
    assert.deepEqual(
        picture.rows().map(({ name, module, time }) => [name, module, time.lower, time.upper]),
        [
            ["net", "net", 7000, 7000],
            ["net.l1", "net.l1", 3000, 5000],
            ["of another block", "of another block", 4, 4],
        ],
    );
    assert.deepEqual(
        picture.lanes.map(({ track }) => track.length),
        [2, 1],
    );
});
