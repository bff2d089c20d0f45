import assert from "node:assert/strict";
import { test } from "node:test";
import type { Difference } from "../../../web/src/state/differences";
import {
    commonVerdict,
    makeRows,
    measuredChanges,
    nameOf,
    sayChange,
    sayInterval,
    sayMembers,
    titleOfMeasured,
} from "../../../web/src/views/compare/rows";
import { groupParts, outerParts, tellApart, waterfall } from "../../../web/src/views/compare/steps";
import { endOfScale, histogram } from "../../../web/src/views/compare/samples";

const US = { name: "us", ns: 1000 } as const;

function line(id: number, more: Partial<Difference>): Difference {
    return {
        id,
        block: 0,
        parent: id === 0 ? null : 0,
        depth: id === 0 ? 0 : 1,
        instruction: null,
        name: `op${id}`,
        kind: null,
        before: null,
        after: null,
        change: null,
        ratio: null,
        interval: null,
        verdict: "faster",
        reason: null,
        source: null,
        module: null,
        hasInside: id === 0,
        operatorsBefore: [],
        operatorsAfter: [],
        ...more,
    };
}

const exactly = (time: number) => ({ lower: time, upper: time });

test("a waterfall begins before, ends after, and what is left is not judged", () => {
    const total = line(0, { before: exactly(1000), after: exactly(700), change: -300 });
    const lines = [
        total,
        line(1, { change: -50, verdict: "unclear" }),
        line(2, { change: -400 }),
        line(3, { change: 120, verdict: "slower" }),
        line(4, { change: 0, verdict: "same" }),
        line(5, { change: null, verdict: "none" }),
        line(6, { change: -80, parent: 2 }),
    ];
    const steps = waterfall(total, outerParts(total, lines));
    assert.deepEqual(
        steps.map(({ from, to, verdict }) => [from, to, verdict]),
        [
            [1000, 600, "faster"],
            [600, 720, "slower"],
            [720, 670, "unclear"],
            [670, 700, "undecided"],
        ],
    );
    assert.equal(steps[3]?.line, null);
});

test("a waterfall of many parts ends after, too", () => {
    const total = line(0, { before: exactly(0), after: exactly(210), change: 210 });
    const parts = Array.from({ length: 20 }, (_, i) =>
        line(i + 1, { change: i + 1, verdict: "unclear" }),
    );
    const steps = waterfall(total, outerParts(total, [total, ...parts]));
    assert.equal(steps[0]?.to, 20);
    assert.equal(steps[steps.length - 1]?.to, 210);
    assert.ok(steps.length < 12);
    assert.equal(steps[steps.length - 1]?.title, "12 others, all measured slower");
    const judged = parts.map((part) => ({ ...part, verdict: "slower" as const }));
    const last = waterfall(total, outerParts(total, [total, ...judged])).pop();
    assert.equal(last?.title, "12 others, all slower");
    const mixed = parts.map((part) => (part.id === 3 ? { ...part, change: -3 } : part));
    const steps3 = waterfall(total, outerParts(total, [total, ...mixed]));
    assert.equal(steps3[steps3.length - 2]?.title, "12 others");
    assert.equal(steps3[steps3.length - 1]?.title, "(not in the parts)");
});

test("two calls of one backend have two labels", () => {
    const total = line(0, { before: exactly(100), after: exactly(110), change: 10 });
    const call = { name: "DELEGATE_CALL Xnn -> DELEGATE_CALL Xnn" };
    const lines = [
        total,
        line(1, { ...call, change: 7, instruction: 0 }),
        line(2, { ...call, change: 3, instruction: 4 }),
    ];
    assert.deepEqual(
        waterfall(total, outerParts(total, lines)).map(({ title }) => title),
        ["Xnn at 0", "Xnn at 4"],
    );
    assert.equal(nameOf(line(1, call)), "DELEGATE_CALL Xnn");
    assert.equal(nameOf(line(1, { name: "a -> b" })), "a -> b");
});

test("modules are a tree, and what belongs to several stands beside them", () => {
    const lines = [
        line(0, {}),
        line(1, { module: "net.a", change: -5 }),
        line(2, { module: "net.b.0", change: 9 }),
        line(3, {
            module: "net.b.0, net.b.1",
            change: 2,
            operatorsBefore: [1],
            operatorsAfter: [2],
        }),
        line(4, { change: 1 }),
    ];
    const rows = makeRows(lines, "module", (ids) => exactly(ids[0] === 1 ? 10 : 40));
    assert.deepEqual(
        rows.map(({ name, level, change }) => [name, level, change]),
        [
            ["(model)", 0, 30],
            ["net", 1, 30],
            ["net.b", 2, 30],
            ["net.b.0 +1", 3, 30],
            ["op3", 4, 2],
            ["net.b.0", 3, 9],
            ["op2", 4, 9],
            ["net.a", 2, -5],
            ["op1", 3, -5],
            ["(no module)", 0, 1],
            ["op4", 1, 1],
        ],
    );
    assert.deepEqual(
        groupParts(rows).map(({ name }) => name),
        ["net.b.0 +1", "net.b.0", "net.a", "(no module)"],
        "the largest is opened while it is most of all",
    );
});

test("what was measured slower is said whatever its verdict; a verdict of most rows is said once", () => {
    const lines = [
        line(0, { change: 0 }),
        line(1, { change: 4, verdict: "differs", reason: "one recording" }),
        line(2, { change: -9, verdict: "differs", reason: "one recording" }),
        line(3, { change: 6, verdict: "undecided" }),
        line(4, { change: null, verdict: "none" }),
        line(5, { change: 1, verdict: "differs", reason: "one recording" }),
    ];
    const { slower, faster } = measuredChanges(lines);
    assert.deepEqual([slower.map(({ id }) => id), faster.map(({ id }) => id)], [[3, 1, 5], [2]]);
    assert.deepEqual(commonVerdict(lines.slice(1)), {
        verdict: "differs",
        count: 3,
        of: 4,
        reason: "one recording",
    });
    assert.equal(commonVerdict(lines.slice(3)), null);
});

test("groups hold what counts once, the largest change first", () => {
    const lines = [
        line(0, { change: 5 }),
        line(1, { name: "add #1", change: 2, verdict: "slower" }),
        line(2, { name: "add #2", change: 4, verdict: "undecided" }),
        line(3, { name: "call", change: -9, hasInside: true }),
        line(4, { name: "inner", change: -8, parent: 3, source: "a.py:1, a.py:2" }),
    ];
    const byOp = makeRows(lines, "op");
    assert.deepEqual(
        byOp.filter((row) => row.line === null).map(({ name, change }) => [name, change]),
        [
            ["inner", -8],
            ["add", 6],
        ],
    );
    assert.equal(sayMembers(byOp[2]?.members ?? []), "1 slower, 1 undecided");
    assert.equal(makeRows(lines, "line")[0]?.name, "a.py:1 and 1 more");
    assert.equal(makeRows(lines, "none").length, lines.length);
});

test("changes tell their direction without colour", () => {
    assert.equal(sayChange(-1500, US), "−1.500");
    assert.equal(sayChange(1500, US), "+1.500");
    assert.equal(sayChange(0, US), "0.000");
    assert.equal(sayChange(null, US), "–");
    assert.equal(sayInterval({ lower: -4249034, upper: 1122 }, US), "−4249..+1.122");
});

test("a histogram counts every run, those at the end as well", () => {
    assert.deepEqual(histogram([0, 1, 5, 10, 10], 0, 10, 5), [2, 0, 1, 0, 2]);
    assert.deepEqual(histogram([3, 3], 3, 3, 2), [2, 0]);
});

test("a run far longer than the others does not make one bar of them", () => {
    const runs = [100, 101, 102, 103, 104, 105, 106, 107];
    assert.equal(endOfScale(runs), 107);
    assert.equal(endOfScale([...runs, 8000]), 107);
    assert.equal(endOfScale([...runs, 118]), 118, "within what bars can show");
    assert.equal(endOfScale([100, 101, 900, 905]), 905, "two sides that differ");
    assert.equal(endOfScale([]), 0);
});

test("groups of lines that begin alike are rows of their own, and steps say all of their lines", () => {
    const total = line(0, { before: exactly(100), after: exactly(130), change: 30 });
    const lines = [
        total,
        line(1, { change: 20, source: "a.py:1, b.py:2" }),
        line(2, { change: 10, source: "a.py:1, c.py:3" }),
    ];
    const groups = makeRows(lines, "line").filter(({ line }) => line === null);
    assert.deepEqual(
        groups.map(({ name }) => name),
        ["a.py:1 and 1 more", "a.py:1 and 1 more"],
    );
    assert.equal(new Set(groups.map(({ key }) => key)).size, 2);
    assert.deepEqual(
        waterfall(total, groupParts(groups)).map(({ title }) => title),
        ["a.py:1, b.py:2", "a.py:1, c.py:3"],
    );
    const alike = [total, ...lines.slice(1).map((of) => ({ ...of, name: "add", source: null }))];
    assert.deepEqual(
        waterfall(total, outerParts(total, alike)).map(({ title }) => title),
        ["add (1)", "add (2)"],
    );
});

test("a list of what no test decided says so, and equal names say where they are", () => {
    const lines = [
        line(1, { name: "FC #1", instruction: 3, verdict: "undecided" }),
        line(2, { name: "FC #1", parent: 4, verdict: "unclear" }),
        line(3, { name: "Add #1", instruction: 9, verdict: "differs" }),
    ];
    assert.equal(titleOfMeasured("Slower", lines), "Slower, none of them decided");
    assert.equal(titleOfMeasured("Slower", lines.slice(2)), "Slower, undecided");
    assert.equal(titleOfMeasured("Slower", []), "Slower");
    const decided = line(4, { verdict: "slower" });
    assert.equal(titleOfMeasured("Slower", [...lines, decided]), "Slower");
    const call = line(4, { name: "DELEGATE_CALL", instruction: 8, hasInside: true });
    assert.deepEqual([...tellApart(lines, [...lines, call]).values()], ["at 3", "at 8"]);
});
