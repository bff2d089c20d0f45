/** What is said above compared values: the sentences of `gap`, and how much was compared. */
import type { ReportDocument } from "../../document/document";
import { nameOfTrace } from "../../state/traces";
import { plural } from "../../text/format";

export interface NumberSentences {
    /** What was found in the values, of several traces with the name of each. */
    answers: string[];
    /** Of traces of which not everything was compared, and whose answer does not say so. */
    coverage: string[];
}

export function numberSentencesOf(document: ReportDocument): NumberSentences {
    const found = document.head.findings.filter(({ view }) => view === "numbers");
    const table = document.table("gap_coverage");
    const [trace, sentence] = [table.number("trace"), table.text("sentence")];
    const [values, compared] = [table.number("values"), table.number("compared")];
    const [outputs, outputsCompared] = [table.number("outputs"), table.number("outputs_compared")];
    const named = (of: number | null | undefined, text: string) =>
        table.rows > 1 && typeof of === "number" ? `${nameOfTrace(document, of)}: ${text}` : text;
    /* "3 of 4 values were compared and agree", where the whole sentence is about that */
    const isTold = (row: number) =>
        found.some(
            (finding) =>
                finding.trace === trace(row) &&
                finding.sentence.startsWith(`${compared(row)} of ${values(row)} values `),
        );
    const answers = found.map((finding) => named(finding.trace, finding.sentence));
    return {
        answers:
            answers.length > 0
                ? answers
                : [plural(document.table("gap_values").rows, "compared value")],
        coverage: Array.from({ length: table.rows }, (_, row) => row)
            .filter((row) => values(row) !== compared(row) || outputs(row) !== outputsCompared(row))
            .filter((row) => !isTold(row))
            .map((row) => named(trace(row), sentence(row) ?? "")),
    };
}
