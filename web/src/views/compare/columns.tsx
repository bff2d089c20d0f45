/** Columns of the table of differences. */
import { nameOfTime, timeCopies } from "../../parts/copy";
import type { Column } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import type { Verdict } from "../../state/differences";
import { fixed, formatTime, largestOf, type TimeUnit } from "../../text/format";
import {
    describe,
    GROUPS,
    type Grouping,
    type Row,
    sayChange,
    sayInterval,
    sayMembers,
} from "./rows";

export const formatRatio = (ratio: number | null): string => {
    if (ratio === null) return "";
    const percent = fixed(Math.abs(ratio) * 100, 1);
    return `${percent === "0.0" ? "" : ratio < 0 ? "−" : "+"}${percent}%`;
};

/** Of a group: of the medians that its row has. */
function ratioOf({ line, before, after }: Row): number | null {
    if (line !== null) return line.ratio;
    if (before === null || after === null || before.lower <= 0) return null;
    return (after.lower - before.lower) / before.lower;
}

export function columnsOf(
    unit: TimeUnit,
    rows: readonly Row[],
    grouping: Grouping,
    common: Verdict | null,
): Column<Row>[] {
    const most =
        largestOf(rows, (row) =>
            row.line === null || row.line.parent !== null ? Math.abs(row.change ?? 0) : 0,
        ) || 1;
    const isGrouped = rows[0]?.line === null;
    const hasKinds = !isGrouped && rows.some((row) => row.line !== null && row.line.kind !== null);
    const columns: (Column<Row> | false)[] = [
        {
            key: "instruction",
            title: "#",
            hint: "number of the instruction",
            width: "40px",
            align: "right",
            hideBelow: 900,
            value: (row) => row.line?.instruction ?? null,
            cell: (row) =>
                row.level <= 1 && <span class="muted">{row.line?.instruction ?? null}</span>,
        },
        {
            key: "operator",
            title:
                GROUPS.find(({ value }) => value === grouping && value !== "none")?.title ??
                "operator",
            width: "auto",
            value: (row) => row.name,
            cell: (row) => (
                <Name
                    text={row.name}
                    class={row.line === null ? "group" : undefined}
                    longest={160}
                    ends
                />
            ),
        },
        {
            key: "before",
            title: `before ${unit.name}`,
            hint: "median time per run; of a group, of what its operators take together",
            width: "72px",
            align: "right",
            hideBelow: 430 /* the change and the time after tell it */,
            value: (row) => row.before?.lower ?? null,
            copies: timeCopies("before", unit, (row) => row.before),
            cell: (row) => row.before && formatTime(row.before, unit),
        },
        {
            key: "after",
            title: `after ${unit.name}`,
            hint: "median time per run; of a group, of what its operators take together",
            width: "72px",
            align: "right",
            value: (row) => row.after?.lower ?? null,
            copies: timeCopies("after", unit, (row) => row.after),
            cell: (row) => row.after && formatTime(row.after, unit),
        },
        {
            key: "change",
            title: "change",
            hint: "of the medians",
            width: "76px",
            align: "right",
            value: (row) => row.change,
            copies: { [nameOfTime("change", unit)]: (row) => row.change },
            cell: (row) =>
                row.change !== null && (
                    <>
                        {sayChange(row.change, unit)}
                        {row.line !== null && narrowMark(row.line.verdict)}
                    </>
                ),
        },
        {
            key: "bar",
            title: "less · more",
            width: "110px",
            hideBelow: 1000,
            cell: (row) => row.change !== null && <ChangeBar row={row} of={most} />,
        },
        {
            key: "ratio",
            title: "%",
            hint: "change as a part of the median before",
            width: "60px",
            align: "right",
            hideBelow: 480,
            value: ratioOf,
            cell: (row) => formatRatio(ratioOf(row)),
        },
        {
            key: "interval",
            title: "95 % interval",
            hint: "how much longer a run takes",
            width: "140px",
            align: "right",
            hideBelow: isGrouped ? 1150 : 900,
            value: (row) => row.line?.interval?.lower ?? null,
            copies: {
                [nameOfTime("change_low", unit)]: (row) => row.line?.interval?.lower ?? null,
                [nameOfTime("change_high", unit)]: (row) => row.line?.interval?.upper ?? null,
            },
            cell: (row) => row.line?.interval && sayInterval(row.line.interval, unit),
        },
        {
            key: "verdict",
            title: "verdict",
            width: isGrouped ? "240px" : "128px",
            hideBelow: isGrouped ? 900 : 560,
            value: (row) =>
                row.line === null ? sayMembers(row.members) : describe(row.line.verdict).word,
            cell: (row) => <VerdictCell row={row} common={common} />,
        },
        hasKinds && {
            key: "kind",
            title: "what",
            hint: "whether the operators of both sides are the same",
            width: "108px",
            hideBelow: 760,
            value: (row: Row) => row.line?.kind ?? null,
            cell: (row: Row) => row.line?.kind,
        },
    ];
    return columns.filter((column) => column !== false);
}

/** On a phone, where the column of verdicts has no room. No component, so that the table measures it. */
function narrowMark(verdict: Verdict) {
    const { mark, word } = describe(verdict);
    return (
        <span class="narrow-mark" role="img" aria-label={word}>
            {" "}
            {mark}
        </span>
    );
}

/** What most rows have is said above the table: a mark of it stands in theirs. */
function VerdictCell(props: { row: Row; common: Verdict | null }) {
    const { line, members } = props.row;
    if (line === null) {
        return <span title={sayMembers(members)}>{sayMembers(members)}</span>;
    }
    const { mark, word, brief } = describe(line.verdict);
    if (line.verdict === props.common) {
        return (
            <span class="verdict" data-verdict={line.verdict} title={line.reason ?? word}>
                <span role="img" aria-label={word}>
                    {mark}
                </span>
            </span>
        );
    }
    return (
        <span class="verdict" data-verdict={line.verdict} title={line.reason ?? word}>
            {mark} {brief ?? word}
        </span>
    );
}

/** From the middle: less to the left, more to the right; hatched without a verdict. */
function ChangeBar(props: { row: Row; of: number }) {
    const { row, of } = props;
    const part = 50 * Math.min(1, Math.abs(row.change ?? 0) / of);
    const isLess = (row.change ?? 0) < 0;
    const verdict = row.line?.verdict ?? "none";
    const kind = verdict === "faster" || verdict === "slower" ? verdict : "unclear";
    return (
        <span class="change-bar">
            <span
                data-kind={kind}
                style={{ left: `${isLess ? 50 - part : 50}%`, width: `${part}%` }}
            />
        </span>
    );
}
