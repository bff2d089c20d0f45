/** What one run spent otherwise than the median, or than another run. */
import { useMemo } from "preact/hooks";
import { timeCopies } from "../../parts/copy";
import { Empty } from "../../parts/Empty";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { useFilter, useParam, usePage } from "../../state/page";
import {
    chooseUnit,
    fixed,
    formatTime,
    joinBounds,
    largestOf,
    type Range,
} from "../../text/format";
import { operatorTimes, type Run } from "./run_times";

interface Row {
    id: number;
    time: Range;
    other: Range;
    /** The true difference lies in it. */
    change: Range;
}

/** Of several, what is compared until one is selected. */
function slowestOf(runs: readonly Run[]): Run | undefined {
    if (runs.length < 2) return undefined;
    return runs.reduce((most, run) => ((run.time ?? 0) > (most.time ?? 0) ? run : most));
}

export function RunDifference(props: { runs: Run[] }) {
    const page = usePage();
    const filter = useFilter();
    const [versus, setVersus] = useParam("versus", "median");
    const own = props.runs.find((run) => run.id === page.run);
    const chosen = own ?? slowestOf(props.runs);
    const rows = useMemo(
        () => (chosen === undefined ? null : differences(page, chosen.id, versus)),
        [page, chosen, versus],
    );
    if (chosen === undefined) {
        return (
            <Empty title="What made a run differ">
                <p>There is one run, and nothing to compare it with.</p>
            </Empty>
        );
    }
    if (rows === null) {
        return (
            <Empty title="No events of this run, or of the one it is compared with">
                <p>The report holds no single events of it, only its time.</p>
            </Empty>
        );
    }
    const unit = chooseUnit(
        largestOf(rows, (row) => Math.max(row.time.upper, row.other.upper)),
        page.block?.unit ?? "ns",
    );
    const most = largestOf(rows, (row) => sizeOf(row.change)) || 1;
    const columns: Column<Row>[] = [
        {
            key: "instruction",
            title: "#",
            hint: "number of the instruction",
            width: "52px",
            align: "right",
            hideBelow: 600,
            value: (row) => page.operators.instruction(row.id),
            cell: (row) => <span class="muted">{page.operators.instruction(row.id)}</span>,
        },
        {
            key: "operator",
            title: "operator",
            width: "auto",
            value: (row) => page.operators.name(row.id),
            cell: (row) => (
                <>
                    <Name text={page.operators.name(row.id)} longest={60} />{" "}
                    {page.operators.event(row.id) === "DELEGATE_CALL" && (
                        <Name class="muted backend" text={page.operators.backend(row.id)} />
                    )}
                </>
            ),
        },
        {
            key: "source",
            title: "source",
            width: "150px",
            hideBelow: 820,
            value: (row) => page.operators.source(row.id),
            cell: (row) => <Place text={page.operators.source(row.id)} />,
        },
        {
            key: "time",
            title: `run ${chosen.number}, ${unit.name}`,
            width: "110px",
            align: "right",
            value: (row) => row.time.lower,
            copies: timeCopies("run", unit, (row) => row.time),
            cell: (row) => formatTime(row.time, unit),
        },
        {
            key: "other",
            title:
                versus === "median"
                    ? "median"
                    : `run ${props.runs.find((run) => String(run.id) === versus)?.number ?? versus}`,
            width: "90px",
            align: "right",
            value: (row) => row.other.lower,
            copies: timeCopies("other", unit, (row) => row.other),
            cell: (row) => formatTime(row.other, unit),
        },
        {
            key: "change",
            title: "difference",
            hint: "of the two; a range where a delegate counts in steps",
            width: "110px",
            align: "right",
            value: (row) => row.change.lower + row.change.upper,
            copies: timeCopies("change", unit, (row) => row.change),
            cell: (row) => formatChange(row.change, unit.ns),
        },
        {
            key: "bar",
            title: "less · more",
            width: "120px",
            hideBelow: 560,
            cell: (row) => <ChangeBar change={row.change} of={most} />,
        },
    ];
    const caption = (
        <label class="block-choice">
            Run {chosen.number}
            {own === undefined && ", the slowest,"} beside{" "}
            <select value={versus} onChange={(event) => setVersus(event.currentTarget.value)}>
                <option value="median">the median of the runs</option>
                {props.runs.slice(0, 1000).map((run) => (
                    <option key={run.id} value={String(run.id)}>
                        run {run.number}
                    </option>
                ))}
            </select>
        </label>
    );
    return (
        <DataTable
            label={`Operators of run ${chosen.number}`}
            sortParam="diffsort"
            columns={columns}
            rows={filter === null ? rows : rows.filter((row) => filter(row.id))}
            rowKey={(row) => row.id}
            onSelect={(row) => page.select({ kind: "operator", id: row.id })}
            isSelected={(row) =>
                page.selection?.kind === "operator" && page.selection.id === row.id
            }
            caption={caption}
            ownKeys={false}
        />
    );
}

const sizeOf = ({ lower, upper }: Range): number => Math.max(Math.abs(lower), Math.abs(upper));

/** The whole run first, then what differs most. */
function differences(page: ReturnType<typeof usePage>, run: number, versus: string): Row[] | null {
    const times = operatorTimes(page, run);
    const others = versus === "median" ? null : operatorTimes(page, Number(versus));
    if (times === null || (others === null && versus !== "median")) return null;
    const rows: Row[] = [];
    for (const [id, time] of times) {
        const other = others === null ? page.operators.time(id, "p50") : (others.get(id) ?? null);
        if (other === null) continue;
        const change = { lower: time.lower - other.upper, upper: time.upper - other.lower };
        rows.push({
            id,
            time,
            other,
            change:
                time.lower === time.upper && other.lower === other.upper
                    ? { lower: time.lower - other.lower, upper: time.lower - other.lower }
                    : change,
        });
    }
    const size = (row: Row) => Math.abs(row.change.lower + row.change.upper);
    const whole = page.block?.whole;
    return rows.sort(
        (a, b) => Number(b.id === whole) - Number(a.id === whole) || size(b) - size(a),
    );
}

function formatChange(change: Range, ns: number): string {
    const sign = (value: number) => `${value >= 0 ? "+" : ""}${fixed(value / ns, ns > 1 ? 3 : 0)}`;
    if (change.lower === change.upper) return sign(change.lower);
    const short = (value: number) =>
        `${value >= 0 ? "+" : ""}${Number((value / ns).toPrecision(4))}`;
    return joinBounds(short(change.lower), short(change.upper));
}

/** From the middle: less to the left, more to the right; solid what is certain. */
function ChangeBar(props: { change: Range; of: number }) {
    const { change, of } = props;
    const at = (value: number) => 50 + 50 * Math.max(-1, Math.min(1, value / of));
    const piece = (from: number, to: number, kind: string) => (
        <span data-kind={kind} style={{ left: `${at(from)}%`, width: `${at(to) - at(from)}%` }} />
    );
    const { lower, upper } = change;
    return (
        <span class="change-bar">
            {lower > 0 && piece(0, lower, "slower")}
            {upper < 0 && piece(upper, 0, "faster")}
            {lower < upper && piece(lower, upper, "unclear")}
        </span>
    );
}
