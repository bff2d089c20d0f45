import assert from "node:assert/strict";
import { test } from "node:test";
import {
    cellAt,
    cellOf,
    LEVELS,
    numberOf,
    type Picture,
    sizeOf,
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
