import assert from "node:assert/strict";
import { test } from "node:test";
import { bandLine, decades, frameOf, x, y } from "../../../web/src/views/cost/scale";

test("axes are whole powers of ten around what is drawn", () => {
    assert.deepEqual(decades([0.3, 40]), [-1, 2]);
    assert.deepEqual(decades([1]), [0, 1]);
    assert.deepEqual(decades([1000, 0, -1]), [3, 4]);
    assert.deepEqual(decades([]), [0, 1]);
});

test("places are inside of the frame, also of values outside of the axes", () => {
    const frame = frameOf(800, 300, [], [{ kind: "compute", name: "float32", rate: 480 }]);
    for (const value of [1e-30, 0.1, 1, 1e30]) {
        assert.ok(x(frame, value) >= frame.left && x(frame, value) <= frame.right);
        assert.ok(y(frame, value) >= frame.top && y(frame, value) <= frame.bottom);
    }
    assert.equal(y(frame, 100), frame.bottom);
});

test("a bandwidth's line ends at the compute roof", () => {
    const roofs = [
        { kind: "compute", name: "float32", rate: 400 },
        { kind: "bandwidth", name: "memory", rate: 100 },
    ] as const;
    const frame = frameOf(800, 300, [], roofs);
    assert.deepEqual(bandLine(frame, 100, 400), [1, 4]);
    assert.equal(bandLine(frame, 1e9, 400), null);
});
