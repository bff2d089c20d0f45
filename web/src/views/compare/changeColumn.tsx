/** The column in which other views tell what changed against the first trace before. */
import type { Column } from "../../parts/DataTable";
import type { Change } from "../../state/differences";
import type { TimeUnit } from "../../text/format";
import { show } from "../../text/show";
import { describe, sayChange } from "./rows";

/** No column where nothing was compared. */
export function changeColumn<Row>(
    changeOf: (row: Row) => Change | undefined,
    isThere: boolean,
    unit: TimeUnit,
): Column<Row>[] {
    if (!isThere) return [];
    const column: Column<Row> = {
        key: "change",
        title: "change",
        hint: "of the median against the trace before: ▼ faster, ▲ slower, = same, ? undecided; a sum has no verdict",
        width: "104px",
        align: "right",
        hideBelow: 720,
        value: (row) => changeOf(row)?.change ?? null,
        cell: (row) => {
            const change = changeOf(row);
            if (change === undefined) return null;
            const verdict = change.verdict === null ? null : describe(change.verdict);
            return (
                <span title={show(change.title)}>
                    {sayChange(change.change, unit)}{" "}
                    {verdict === null ? (
                        "Σ"
                    ) : (
                        <span role="img" aria-label={verdict.word}>
                            {verdict.mark}
                        </span>
                    )}
                </span>
            );
        },
    };
    return [column];
}
