import assert from "node:assert/strict";
import { test } from "node:test";
import { ReportDocument, readHead } from "../../../web/src/document/document";
import { numberSentencesOf } from "../../../web/src/views/numbers/sentences";
import { encodeTables, type Value } from "../encode";

const PARTLY = "the output was not compared (softmax: outside the debug buffer)";

/** What is said of traces: `counts` has values, compared, outputs and compared outputs of each. */
async function said(counts: number[][], sentences: string[]) {
    const column = (i: number): Value[] => counts.map((of) => of[i] ?? 0);
    const { heads, sections } = encodeTables({
        traces: { path: counts.map((_, i) => `${i}.etdp`), role: counts.map(() => "trace") },
        gap_values: { name: ["a"] },
        gap_coverage: {
            trace: counts.map((_, i) => i),
            values: column(0),
            compared: column(1),
            outputs: column(2),
            outputs_compared: column(3),
            sentence: counts.map(
                ([values, compared]) => `${compared} of ${values} values compared`,
            ),
        },
    });
    const findings = sentences.map((sentence, trace) => ({ view: "numbers", sentence, trace }));
    const head = readHead(
        JSON.stringify({
            format: "etscope-report",
            version: 1,
            writer: "etscope",
            findings,
            tables: heads,
        }),
    );
    const document = new ReportDocument(head, async (id) => sections.get(id) ?? null);
    await document.load(["traces", "gap_values", "gap_coverage"]);
    return numberSentencesOf(document);
}

test("how much was compared is said unless it is everything, or said already", async () => {
    const answer = `3 of 4 values were compared and agree; ${PARTLY}`;
    assert.deepEqual(await said([[4, 3, 1, 0]], [answer]), { answers: [answer], coverage: [] });
    assert.deepEqual((await said([[4, 4, 1, 1]], ["linear is guilty"])).coverage, []);
    for (const counts of [
        [4, 3, 1, 1],
        [4, 4, 2, 1],
    ]) {
        assert.deepEqual((await said([counts], ["linear is guilty"])).coverage, [
            `${counts[1]} of 4 values compared`,
        ]);
    }
    assert.deepEqual(await said([[4, 3, 1, 1]], []), {
        answers: ["1 compared value"],
        coverage: ["3 of 4 values compared"],
    });
});

test("of several traces each sentence names its own", async () => {
    const counts = [
        [4, 3, 1, 0],
        [4, 3, 1, 0],
        [9, 9, 1, 1],
    ];
    assert.deepEqual(await said(counts, ["linear is guilty", "3 of 4 values agree", "all agree"]), {
        answers: ["0.etdp: linear is guilty", "1.etdp: 3 of 4 values agree", "2.etdp: all agree"],
        coverage: ["0.etdp: 3 of 4 values compared"],
    });
    assert.deepEqual(await said(counts, ["linear is guilty"]), {
        answers: ["0.etdp: linear is guilty"],
        coverage: ["0.etdp: 3 of 4 values compared", "1.etdp: 3 of 4 values compared"],
    });
});
