/** What is said above compared values: the sentences of `gap`, and how much was compared. */
import type { ReportDocument } from "../../document/document";
import { nameOfTrace } from "../../state/traces";
import { plural } from "../../text/format";

export interface NumberSentences {
    /** Of each trace, where there is one for each; else the first, which the report begins with. */
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
    const isOfEach = found.length === table.rows;
    const named = (row: number, text: string) =>
        table.rows > 1 ? `${nameOfTrace(document, trace(row) ?? row)}: ${text}` : text;
    /* "3 of 4 values were compared and agree", where the whole sentence is about that */
    const isTold = (row: number) =>
        isOfEach && found[row]?.sentence.startsWith(`${compared(row)} of ${values(row)} values `);
    const answers = isOfEach
        ? found.map((finding, row) => named(row, finding.sentence))
        : found.slice(0, 1).map((finding) => finding.sentence);
    return {
        answers:
            answers.length > 0
                ? answers
                : [plural(document.table("gap_values").rows, "compared value")],
        coverage: Array.from({ length: table.rows }, (_, row) => row)
            .filter((row) => values(row) !== compared(row) || outputs(row) !== outputsCompared(row))
            .filter((row) => !isTold(row))
            .map((row) => named(row, sentence(row) ?? "")),
    };
}
