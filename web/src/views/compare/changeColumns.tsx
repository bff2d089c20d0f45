/** The columns in which other views tell what changed: one for each trace before. */
import { nameOfTime } from "../../parts/copy";
import type { Column } from "../../parts/DataTable";
import type { Change, Changes } from "../../state/differences";
import type { TimeUnit } from "../../text/format";
import { show, showName } from "../../text/show";
import { describe, sayChange } from "./rows";

/** More would leave no room for what they are about; Compare has all. */
const MOST = 3;

/** No column where nothing was compared. `keyOf`: null where a row has no change. */
export function changeColumns<Row, Key>(
    changes: readonly Changes<Key>[],
    keyOf: (row: Row) => Key | null,
    unit: TimeUnit,
): Column<Row>[] {
    return changes.slice(0, MOST).map(({ name, of }, number) => {
        const changeOf = (row: Row): Change | undefined => {
            const key = keyOf(row);
            return key === null ? undefined : of.get(key);
        };
        return {
            key: number === 0 ? "change" : `change${number}`,
            title: changes.length === 1 ? "change" : `vs ${shortName(name)}`,
            hint: `of the median against ${show(name)}: ▼ faster, ▲ slower, = same, ? undecided; a sum has no verdict`,
            width: "104px",
            align: "right",
            hideBelow: 720 + number * 200,
            value: (row) => changeOf(row)?.change ?? null,
            copies: {
                [nameOfTime(number === 0 ? "change" : `change${number}`, unit)]: (row) =>
                    changeOf(row)?.change ?? null,
            },
            cell: (row) => cellOf(changeOf(row), unit),
        };
    });
}

/** The name without folder and ending. */
const shortName = (path: string): string =>
    showName(path.slice(path.lastIndexOf("/") + 1).replace(/\.[a-z]+$/, ""), 10);

/** Not a component, so that the table can measure its text. */
function cellOf(change: Change | undefined, unit: TimeUnit) {
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
}
