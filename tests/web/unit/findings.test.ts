import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../../web/src/document/document";
import { orderedFindings, severityOf } from "../../../web/src/views/summary/findings_order";

const finding = (
    kind: string,
    severity: Finding["severity"],
    share: number | null,
    share_upper?: number,
): Finding => ({
    kind,
    severity,
    share,
    share_upper: share_upper ?? null,
    sentence: kind,
    view: "operators",
    select: null,
});

test("findings stand in the order of what they concern of a run", () => {
    const findings = [
        finding("small alarm", "bad", 0.0002, 0.001),
        finding("wrong values", "bad", null),
        finding("slow", "bad", 0.2),
        finding("little", "note", 0.02),
        finding("peak", "note", null),
        finding("much", "note", 0.1, 0.5),
        finding("expensive_operator", "note", 0.6),
        finding("steady", "good", null),
    ];
    assert.deepEqual(
        orderedFindings(findings).map(({ kind }) => kind),
        [
            "wrong values",
            "slow",
            "much",
            "little",
            "small alarm",
            "peak",
            "expensive_operator",
            "steady",
        ],
    );
});

test("an alarm is drawn as one only if it concerns a part of a run, or is not about time", () => {
    assert.equal(severityOf(finding("a", "bad", 0.0002, 0.001)), "note");
    assert.equal(severityOf(finding("a", "bad", 0, 0.2)), "bad", "it may be much");
    assert.equal(severityOf(finding("a", "bad", null)), "bad");
    assert.equal(severityOf(finding("a", "good", 0.001)), "good");
});
