import assert from "node:assert/strict";
import { test } from "node:test";
import {
    cellAt,
    cellOf,
    LEVELS,
    numberOf,
    type Picture,
    sayElement,
    sizeOf,
    spotOf,
    stepFrom,
} from "../../../web/src/views/numbers/pictures";

const picture: Picture = {
    side: "device",
    low: -2,
    high: 2,
    rows: 2,
    columns: 3,
    tiles: 5,
    tilesShown: 5,
    tilesAcross: 2,
    tileHeight: 2,
    tileWidth: 3,
    cellRows: 1,
    cellColumns: 1,
    levels: "",
};

test("letters are levels from the low end to the high one", () => {
    assert.equal(cellOf("A"), 0);
    assert.equal(cellOf("+"), LEVELS - 1);
    assert.equal(numberOf(picture, 0), -2);
    assert.equal(numberOf(picture, (LEVELS - 1) / 2), 0);
    assert.equal(numberOf(picture, LEVELS - 1), 2);
    assert.equal(numberOf({ ...picture, low: null, high: null }, 3), null);
});

test("what is no finite number has a sign, and a damaged picture shows NaN", () => {
    assert.deepEqual(["?", ">", "<", undefined].map(cellOf), ["nan", "inf", "-inf", "nan"]);
});

test("cells lie tile by tile, and behind the last tile is nothing", () => {
    assert.deepEqual(sizeOf(picture), { across: 6, down: 6 });
    assert.equal(cellAt(picture, 0, 0), 0);
    assert.equal(cellAt(picture, 2, 1), 5);
    assert.equal(cellAt(picture, 3, 0), 6);
    assert.equal(cellAt(picture, 0, 2), 12);
    assert.equal(cellAt(picture, 5, 5), null);
});

test("each element has the cell that stands for it", () => {
    const spots = Array.from({ length: 30 }, (_, element) => spotOf(picture, element));
    spots.forEach((spot, element) => {
        assert.ok(spot !== null);
        assert.equal(cellAt(picture, spot.column, spot.row), element);
    });
    assert.equal(spotOf(picture, 30), null);
    const strip = { ...picture, rows: 1, columns: 64, tiles: 1, tilesShown: 1, tilesAcross: 1 };
    const wide = { ...strip, tileHeight: 1, tileWidth: 32, cellColumns: 2 };
    assert.deepEqual(spotOf(wide, 63), { column: 31, row: 0 });
});

test("arrow keys stay on cells", () => {
    assert.deepEqual(stepFrom(picture, { column: 0, row: 0 }, [1, 0]), { column: 1, row: 0 });
    assert.deepEqual(stepFrom(picture, { column: 0, row: 0 }, [-1, 0]), { column: 0, row: 0 });
    assert.deepEqual(stepFrom(picture, { column: 2, row: 5 }, [1, 0]), { column: 2, row: 5 });
});

test("an element is told by its place in the tensor", () => {
    assert.equal(sayElement("[1, 4, 16]", 60), "[0, 3, 12]");
    assert.equal(sayElement("[]", 0), "0");
    assert.equal(sayElement(null, 7), "7");
    assert.equal(sayElement("[2, 2]", 9), "9");
});
