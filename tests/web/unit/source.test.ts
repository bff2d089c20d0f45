import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { Joins } from "../../../web/src/state/joins";
import { ownShare, shareWithCalls } from "../../../web/src/state/line_shares";
import { Operators } from "../../../web/src/state/operators";
import { JOIN_TABLES, type Page } from "../../../web/src/state/page";
import { filesOf, linesOf } from "../../../web/src/views/source/lines";
import {
    filtered,
    kindOf,
    nodesOf,
    type Stack,
    stacksOf,
} from "../../../web/src/views/source/stacks";
import { TreePicture } from "../../../web/src/views/timeline/tree_picture";
import { encodeTables, type Value } from "../encode";
import { smallTables } from "../small_tables";

/** Parent, place, and mid of lines; the last but one row is of another block. */
const LINES: [number | null, string | null, number, string][] = [
    [null, "net.py:4", 1000, "x = self.add(x)"],
    [null, "net.py:5", 7000, "return self.l1(x)"],
    [1, "site-packages/lib/linear.py:9", 3000, "return linear(x)"],
    [1, null, 4000, "(XnnpackBackend, not reported)"],
    [0, "net.py:9", 1000, "of another block"],
    [null, null, 2000, "(between operators)"],
];

async function small() {
    const [tables, types] = smallTables();
    const of = (get: (line: (typeof LINES)[number], row: number) => Value) => LINES.map(get);
    const time = of(([, , mid]) => mid);
    tables.stacks = {
        block: of((_, row) => (row === 4 ? 1 : 0)),
        parent: of(([parent]) => parent),
        depth: of(([parent]) => (parent === null ? 0 : 1)),
        file: of(([, place]) => place?.split(":")[0] ?? null),
        line: of(([, place]) => (place === null ? null : Number(place.split(":")[1]))),
        function: of(([, place]) => (place === null ? null : "forward")),
        code: of(([, , , code]) => code),
        calls: of(([, place], row) => (place === null ? null : row + 1)),
        ...{ mid: time, mid_upper: of((_, row) => (row === 2 ? 5000 : null)) },
        ...{ share: of(([, , mid]) => mid / 10_000), share_upper: of(() => null) },
        self_mid: of(([, , mid], row) => (row === 1 ? null : mid)),
        self_mid_upper: of(() => null),
        self_share: of(([, , mid], row) => (row === 1 ? null : mid / 10_000)),
        self_share_upper: of(() => null),
    };
    tables.lines = {
        block: [0, 0, 1],
        file: ["net.py", "net.py", "net.py"],
        line: [4, 5, 9],
        share: [0.1, 0.4, 0.9],
        share_upper: [null, 1.2, null],
    };
    types["lines.share_upper"] = "real";
    tables.operators!.stack = [null, null, 0, 3, 2, 2, null];
    const columns = ["mid_upper", "share_upper", "self_mid_upper", "self_share_upper"];
    for (const name of columns) types[`stacks.${name}`] = "real";
    const { heads, sections } = encodeTables(tables, types);
    const head = readHead(
        JSON.stringify({ format: "etscope-report", version: 1, writer: "etscope", tables: heads }),
    );
    const document = new ReportDocument(head, async (id) => sections.get(id) ?? null);
    await document.load([...JOIN_TABLES, "lines"]);
    const operators = new Operators(document);
    const block = operators.blocks[0]!;
    return { document, operators, block, page: { document, operators, block } as unknown as Page };
}

const outlineOf = (stacks: readonly Stack[], depth = 0): string[] =>
    stacks.flatMap((stack) => [
        `${"  ".repeat(depth)}${stack.place} ${stack.time?.lower} ${stack.self?.lower} ${stack.operators}`,
        ...outlineOf(stack.children, depth + 1),
    ]);

test("stacks are a tree of lines with the operators that they lead to, the longest first", async () => {
    const { page } = await small();
    const roots = stacksOf(page);
    assert.deepEqual(outlineOf(roots), [
        "net.py:5 7000 undefined 3,4,5",
        "  null 4000 4000 3",
        "  site-packages/lib/linear.py:9 3000 3000 4,5",
        "null 2000 2000 ",
        "net.py:4 1000 1000 2",
    ]);
    assert.deepEqual([roots[0]!, ...roots[0]!.children, roots[1]!].map(kindOf), [
        "mixed",
        "other",
        "library",
        "runtime",
    ]);
    assert.deepEqual(roots[0]!.children[1]!.time, { lower: 3000, upper: 5000 });
    assert.deepEqual(outlineOf(filtered(roots, (id) => id === 4)), [
        "net.py:5 7000 undefined 3,4,5",
        "  site-packages/lib/linear.py:9 3000 3000 4,5",
    ]);
    assert.equal(filtered(roots, null), roots);
});

test("the flame graph has the lines, and says where they are", async () => {
    const { page, operators, block } = await small();
    const picture = new TreePicture(operators, block, nodesOf(stacksOf(page)), "forward");
    assert.deepEqual(
        picture.lanes.map(({ track }) => [...track.starts]),
        [
            [0, 7000, 9000],
            [0, 4000],
        ],
    );
    assert.deepEqual(picture.describe(2), [
        "linear.py:9 return linear(x)",
        "3..5 us per run, 30.0..50.0%",
        "site-packages/lib/linear.py:9",
    ]);
    assert.equal(picture.colour(2), "library");
});

test("a line that only calls others has their operators", async () => {
    const { document, operators } = await small();
    const joins = new Joins(document, operators);
    const of = (name: string) => [...(joins.operatorsOf({ kind: "line", name }) ?? [])];
    assert.deepEqual(of("net.py:5"), [3, 4, 5]);
    assert.deepEqual(of("a.py:2"), [3, 4], "its own");
    assert.deepEqual(of("net.py:9"), []);
});

test("what a line takes with what it calls is what the pictures of stacks show", async () => {
    const { page } = await small();
    assert.deepEqual(shareWithCalls(page, "net.py:5"), { lower: 0.7, upper: 0.7 });
    assert.equal(shareWithCalls(page, "net.py:9"), null, "of another block");
});

test("no line and no file takes more than a run, whatever the steps of clocks add up to", async () => {
    const { page } = await small();
    const lines = linesOf(page).filter(({ file }) => file === "net.py");
    assert.deepEqual(
        lines.map(({ key, share }) => [key, share]),
        [
            ["net.py:4", { lower: 0.1, upper: 0.1 }],
            ["net.py:5", { lower: 0.4, upper: 1 }],
        ],
    );
    assert.deepEqual(ownShare(page, "net.py:5"), { lower: 0.4, upper: 1 });
    assert.deepEqual(filesOf(lines), [
        { name: "net.py", lines: 2, share: { lower: 0.5, upper: 1 } },
    ]);
});
