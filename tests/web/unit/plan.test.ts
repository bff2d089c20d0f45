import assert from "node:assert/strict";
import { test } from "node:test";
import { commonModule, groupTensors } from "../../../web/src/views/memory/groups";
import {
    aliveAt,
    isAlive,
    type Piece,
    type Plan,
    type Tensor,
} from "../../../web/src/views/memory/plan";
import { numbers } from "./numbers";

const BYTES = 64;
const STEPS = 12;

/** With a gap where there is room for one, as branches leave. */
const cut = (first: number, last: number): Piece[] =>
    last < first + 2
        ? [[first, last]]
        : [
              [first, first],
              [last, last],
          ];

function planOf(seed: number): Plan {
    const next = numbers(seed);
    const tensors = Array.from({ length: 20 }, (_, value): Tensor => {
        const first = next(STEPS);
        const last = first + next(STEPS - first);
        return {
            value,
            name: `t${value}`,
            kind: "intermediate",
            offset: next(BYTES - 16),
            bytes: next(17),
            isUpperBound: false,
            first: value === 3 ? null : first,
            last: value === 3 ? null : last,
            pieces: value === 3 ? [] : cut(first, last),
            producer: first,
            readers: 1,
            viewOf: value % 5 === 4 ? value - 1 : null,
            dtype: null,
            shape: null,
        };
    });
    return {
        key: "",
        method: "forward",
        memoryId: 1,
        bytes: BYTES,
        peakBytes: 0,
        peakInstruction: null,
        boundBytes: 0,
        paddingBytes: 0,
        isOnDevice: false,
        tensors,
        live: Array.from({ length: STEPS }, () => 0),
        names: [],
    };
}

test("added bytes of what is alive are the bytes that any of it has", () => {
    for (let seed = 1; seed < 100; seed++) {
        const plan = planOf(seed);
        for (let at = 0; at < STEPS; at++) {
            const used = new Set<number>();
            for (const tensor of plan.tensors.filter((each) => isAlive(each, at))) {
                for (let i = 0; i < tensor.bytes; i++) used.add(tensor.offset + i);
            }
            const alive = aliveAt(plan, at);
            assert.equal(
                alive.reduce((sum, { added }) => sum + added, 0),
                used.size,
                `seed ${seed}, instruction ${at}`,
            );
            const views = alive.map(({ tensor }) => tensor.viewOf !== null);
            assert.deepEqual(views, [...views].sort(), "views come last");
        }
    }
});

test("modules are cut to where colours tell them apart", () => {
    assert.equal(commonModule("a.b.c, a.b.d"), "a.b");
    assert.equal(commonModule("a, b"), "(model)");
    assert.equal(commonModule(null), null);
    const plan = planOf(1);
    const groups = groupTensors(plan, "module", ({ value }) => `m.${value % 3}.${value}`);
    assert.deepEqual(groups.all.map(({ title }) => title).sort(), ["m.0", "m.1", "m.2"]);
    const many = groupTensors(plan, "module", ({ value }) => (value === 0 ? null : `m${value}`));
    assert.equal(many.all.length, 9, "eight colours, and one for the others");
    assert.equal(new Set(many.all.map(({ colour }) => colour)).size, 9);
});
