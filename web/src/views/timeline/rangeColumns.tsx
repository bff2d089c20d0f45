/** The columns of the table below the timeline. */
import { type Copies, rangeCopies, timeCopies } from "../../parts/copy";
import type { Column } from "../../parts/DataTable";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { Tail } from "../../parts/Tail";
import { barKind } from "../../state/filter";
import type { Operators } from "../../state/operators";
import {
    chooseUnit,
    formatCount,
    formatShare,
    formatTime,
    largestOf,
    type Range,
    type TimeUnit,
} from "../../text/format";
import { OperatorName } from "./OperatorName";
import type { Row } from "./picture";
import type { Form } from "./range_rows";

export function rangeColumns(
    operators: Operators,
    rows: readonly Row[],
    unitName: string,
    form: Form,
    isTree: boolean,
): Column<Row>[] {
    const unit = chooseUnit(
        largestOf(rows, (row) => row.time.upper),
        unitName,
    );
    const total = timeColumn("time", "total", unit, (row) => row.time);
    const self = timeColumn("self", "self", unit, (row) => row.self);
    return [
        {
            key: "name",
            title: form === "calls" ? "module, call or operator" : "operator",
            width: "auto",
            value: (row) => row.name,
            copies: { operator: (row) => row.name },
            cell: (row) => <OperatorName name={row.name} backend={row.backend} />,
        },
        {
            key: "calls",
            title: "calls",
            width: "64px",
            align: "right",
            hideBelow: 560,
            value: (row) => row.calls,
            cell: (row) => (row.calls > 0 ? formatCount(row.calls) : null),
        },
        /* Where there is room for one only, the one that shares are of. */
        form === "calls" ? total : { ...total, hideBelow: 480 },
        form === "calls" ? { ...self, hideBelow: 480 } : self,
        shareColumn(operators, form),
        ...(isTree ? [] : placeColumns()),
    ];
}

/** In a tree the rows around it say the module. */
function placeColumns(): Column<Row>[] {
    return [
        {
            key: "module",
            title: "module",
            width: "24%",
            hideBelow: 900,
            value: (row) => row.module,
            cell: (row) => <Tail text={row.module} longest={26} />,
        },
        {
            key: "source",
            title: "source",
            width: "150px",
            hideBelow: 760,
            value: (row) => row.source,
            cell: (row) => <Place text={row.source} />,
        },
    ];
}

function timeColumn(
    key: string,
    title: string,
    unit: TimeUnit,
    of: (row: Row) => Range | null,
): Column<Row> {
    return {
        key,
        title: `${title} ${unit.name}`,
        hint: key === "self" ? "without what it encloses" : "with what it encloses",
        width: "96px",
        align: "right",
        value: (row) => of(row)?.lower ?? null,
        copies: timeCopies(title, unit, of),
        cell: (row) => {
            const time = of(row);
            return time === null ? null : formatTime(time, unit);
        },
    };
}

function shareColumn(operators: Operators, form: Form): Column<Row> {
    const copies: Copies<Row> = rangeCopies(
        form === "calls" ? "share" : "self_share",
        (row) => row.share,
    );
    return {
        key: "share",
        title: form === "calls" ? "share" : "share of self",
        hint:
            form === "calls"
                ? "part of the time of the runs in it; what encloses others counts them, too"
                : "its own part of the time of the runs in it: nothing is counted twice",
        width: "150px",
        narrow: "104px",
        value: (row) => row.share.lower,
        copies,
        cell: (row) => (
            <span class="share">
                <RangeBar
                    range={row.share}
                    of={1}
                    kind={row.operator < 0 ? "other" : barKind(operators, row.operator)}
                />
                <span class="number">{formatShare(row.share)}</span>
            </span>
        ),
    };
}
