import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { parseHash, writeHash } from "../../../web/src/state/hash";
import { parseSelection, type Selection, writeSelection } from "../../../web/src/state/selection";
import { type Address, Store } from "../../../web/src/state/store";

class FakeAddress implements Address {
    entries = [""];
    at = 0;
    writes = 0;
    listener = () => {};
    get hash() {
        return this.entries[this.at] as string;
    }
    push(hash: string) {
        this.entries = [...this.entries.slice(0, this.at + 1), hash];
        this.at++;
    }
    replace(hash: string) {
        this.entries[this.at] = hash;
        this.writes++;
    }
    onChange(listener: () => void) {
        this.listener = listener;
    }
    back() {
        this.at--;
        this.listener();
    }
}

/* node 18 has mock timers of another form than node 20 */
const realTimeout = globalThis.setTimeout;
afterEach(() => {
    globalThis.setTimeout = realTimeout;
});

/** Replaces setTimeout until the test ends; the result moves the time on. */
function fakeTimers(): (milliseconds: number) => void {
    let now = 0;
    let waiting: { at: number; run: () => void }[] = [];
    globalThis.setTimeout = ((run: () => void, delay: number) => {
        waiting.push({ at: now + delay, run });
        return waiting.length;
    }) as unknown as typeof setTimeout;
    return (milliseconds) => {
        now += milliseconds;
        const due = waiting.filter(({ at }) => at <= now);
        waiting = waiting.filter(({ at }) => at > now);
        for (const { run } of due) run();
    };
}

test("the address keeps every text", () => {
    const params = new Map([
        ["sel", "line:models/zoo.py:28"],
        ["f", "a&b=c #1 100% é 🙂 <script>"],
        ["t", "1200..8800"],
    ]);
    const hash = writeHash({ view: "operators", params }, "1ca9f249aabbccdd");
    assert.match(hash, /^#1\/operators\?d=1ca9f2&/);
    assert.match(hash, /sel=line:models\/zoo\.py:28/);
    assert.doesNotMatch(hash, /[<> "]/);
    const parsed = parseHash(hash);
    assert.deepEqual(parsed?.state, { view: "operators", params });
    assert.equal(parsed?.fingerprint, "1ca9f2");
});

test("a broken address is none, and a broken parameter is left out", () => {
    for (const hash of ["", "#", "#2/operators", "#1", "#findings", "#1/Oper"]) {
        assert.equal(parseHash(hash), null, hash);
    }
    assert.deepEqual(
        [...(parseHash("#1/runs?f=%E0%A4%A&x&=y&run=4")?.state.params ?? [])],
        [["run", "4"]],
    );
});

test("steps are pushed, all else is replaced at most four times a second", () => {
    const tick = fakeTimers();
    const address = new FakeAddress();
    const store = new Store(address, "", "summary");
    assert.equal(store.view, "summary");
    store.set({}, "operators");
    store.set({ sel: "operator:1" });
    assert.equal(address.entries.length, 3);
    for (let i = 0; i < 100; i++) {
        store.set({ t: `0..${i}` });
        tick(10);
    }
    assert.equal(address.entries.length, 3);
    assert.ok(address.writes >= 3 && address.writes <= 4, `${address.writes} writes`);
    tick(250);
    assert.equal(parseHash(address.hash)?.state.params.get("t"), "0..99");
    store.set({ sel: "operator:2" }, undefined, true);
    assert.equal(address.entries.length, 3, "a walk makes no step");
});

test("back restores what was", () => {
    const address = new FakeAddress();
    const store = new Store(address, "", "summary");
    let calls = 0;
    store.subscribe(() => calls++);
    store.set({}, "operators");
    store.set({ sel: "operator:5" });
    store.set({ sel: "operator:5" });
    assert.equal(calls, 2, "no change is no call");
    address.back();
    assert.equal(store.view, "operators");
    assert.equal(store.get("sel"), "");
    address.back();
    assert.equal(store.view, "summary");
});

test("what waits is written before a step", () => {
    fakeTimers();
    const address = new FakeAddress();
    const store = new Store(address, "", "summary");
    store.set({}, "operators");
    store.set({ f: "gemm" });
    store.set({ sel: "operator:5" });
    address.back();
    assert.equal(store.get("f"), "gemm");
});

test("selections come back from their text", () => {
    const selections: Selection[] = [
        { kind: "operator", id: 65 },
        { kind: "node", id: 0 },
        { kind: "module", name: "blocks.0" },
        { kind: "line", name: "models/zoo.py:28" },
        { kind: "value", id: 5 },
        { kind: "run", id: 4 },
        { kind: "range", from: 1200, to: 8800.5 },
    ];
    for (const selection of selections) {
        assert.deepEqual(parseSelection(writeSelection(selection)), selection);
    }
    for (const text of [
        "",
        "operator:",
        "operator:-1",
        "operator:1e3",
        "x:1",
        "range:1",
        "line:",
    ]) {
        assert.equal(parseSelection(text), null, text);
    }
});
