/** The model's source lines with what each costs in the margin. */
import { useMemo } from "preact/hooks";
import { rangeCopies, timeCopies } from "../../parts/copy";
import type { ComponentChildren } from "preact";
import { BlockChoice } from "../../parts/BlockChoice";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { RangeBar } from "../../parts/RangeBar";
import { type Changes, DIFFERENCE_TABLES, differencesOf } from "../../state/differences";
import { useFilter, useParam, usePage } from "../../state/page";
import {
    chooseUnit,
    formatBytes,
    formatNumber,
    formatShare,
    formatTime,
    largestOf,
    plural,
} from "../../text/format";
import { changeColumns } from "../compare/changeColumns";
import { showCode } from "../../text/show";
import type { View } from "../view";
import { StacksView } from "./StacksView";
import { kindWithoutLine } from "./stacks";
import { filesOf, type Line, linesOf } from "./lines";

export const sourceView: View = {
    id: "source",
    title: "Source",
    isOfTimes: true,
    takes: ["TRACE", "--etrecord"],
    takesAll: true,
    needs: ["lines"],
    loads: DIFFERENCE_TABLES,
    component: Source,
    shows: ["line", "operator", "node", "module"],
};

const ALL = "all";
const FORMS = [
    { value: "lines", title: "lines", hint: "what each line costs itself" },
    {
        value: "stacks",
        title: "stacks",
        hint: "lines with what they call, as flame graph and tree",
    },
];

function Source() {
    const page = usePage();
    const [form, setForm] = useParam("as", "lines");
    const choice = page.document.has("stacks") && (
        <Choice label="Show" options={FORMS} value={form} onChange={setForm} />
    );
    if (form !== "stacks" || !page.document.has("stacks")) return <Lines choice={choice} />;
    return (
        <div class="timeline">
            <div class="table-tools">
                <div>
                    <BlockChoice />
                    {choice}
                </div>
                <span class="muted hint">widths are lower bounds of the time per run</span>
            </div>
            <StacksView />
        </div>
    );
}

function Lines(props: { choice: ComponentChildren }) {
    const page = usePage();
    const { block, selection } = page;
    const filter = useFilter();
    const lines = useMemo(() => linesOf(page), [page, block]);
    const files = useMemo(() => filesOf(lines), [lines]);
    const [chosenFile, setFile] = useParam("file", ALL);
    const isThere = files.some(({ name }) => name === chosenFile);
    const file = isThere ? chosenFile : files.length === 1 ? (files[0]?.name ?? ALL) : ALL;
    const rows = useMemo(() => {
        const operators = (line: Line) =>
            page.joins
                .operatorsOfLine(line.key)
                .filter((id) => page.operators.block(id) === block?.id);
        return lines.filter(
            (line) =>
                (file === ALL || line.file === file || line.file === null) &&
                (filter === null || (line.file !== null && operators(line).some(filter))),
        );
    }, [lines, file, filter]);
    const chosen = selectedLines(page);
    const columns = useMemo(
        () =>
            columnsOf(
                lines,
                block?.unit ?? "ns",
                files.length > 1 && file === ALL,
                differencesOf(page.document).bySource(block?.id ?? null),
            ),
        [lines, file],
    );
    const caption = (
        <>
            <BlockChoice />
            {props.choice}
            <label class="block-choice">
                File{" "}
                <select value={file} onChange={(event) => setFile(event.currentTarget.value)}>
                    {files.length !== 1 && <option value={ALL}>all {files.length} files</option>}
                    {files.map(({ name, share }) => (
                        <option key={name} value={name}>
                            {showCode(name)} · {formatShare(share)}
                        </option>
                    ))}
                </select>
            </label>
            <span class="muted">
                {plural(rows.filter((line) => line.file !== null).length, "line")}, shares of the
                middle half of the runs
            </span>
        </>
    );
    return (
        <DataTable
            label="Source lines"
            sortParam="linesort"
            columns={columns}
            rows={rows}
            rowKey={(line) => line.key}
            isSelected={(line) => selection?.kind === "line" && selection.name === line.key}
            isDim={(line) => (chosen !== null ? !chosen.has(line.key) : line.time === null)}
            onSelect={(line, isWalk) => {
                if (line.file !== null)
                    page.select({ kind: "line", name: line.key }, undefined, isWalk);
            }}
            onOpen={(line) => {
                if (line.file !== null) page.select({ kind: "line", name: line.key }, "operators");
            }}
            caption={caption}
        />
    );
}

/** Lines of what is selected elsewhere, or null. */
function selectedLines(page: ReturnType<typeof usePage>): ReadonlySet<string> | null {
    const { selection } = page;
    if (selection === null || selection.kind === "line") return null;
    const operators = page.joins.operatorsOf(selection);
    if (operators === null) return null;
    return new Set([...operators].flatMap((id) => page.joins.linesOfOperator(id)));
}

/** Colour of its bar: lines hold calls of several kinds. */
function kindOf(line: Line): string {
    if (line.file !== null) return "mixed";
    return kindWithoutLine(line.code);
}

function columnsOf(
    lines: readonly Line[],
    traceUnit: string,
    withFile: boolean,
    changes: readonly Changes<string>[],
): Column<Line>[] {
    const unit = chooseUnit(
        largestOf(lines, (line) => line.time?.upper ?? 0),
        traceUnit,
    );
    const full = largestOf(lines, (line) => line.share?.upper ?? 0) || 1;
    const has = (get: (line: Line) => unknown) => lines.some((line) => get(line) !== null);
    const columns: (Column<Line> | false)[] = [
        {
            key: "mid",
            title: `mid ${unit.name}`,
            hint: "mean over the middle half of the runs",
            width: "110px",
            align: "right",
            hideBelow: 520,
            value: (line) => line.time?.lower ?? null,
            copies: timeCopies("mid", unit, (line) => line.time),
            cell: (line) => line.time && formatTime(line.time, unit),
        },
        ...changeColumns<Line, string>(changes, (line) => line.key, unit),
        {
            key: "share",
            title: "share of a run",
            hint: `hatched: possible; a full bar is ${formatShare({ lower: full, upper: full })}`,
            width: "170px",
            value: (line) => line.share?.lower ?? null,
            copies: rangeCopies("share", (line) => line.share),
            cell: (line) =>
                line.share && (
                    <span class="share">
                        <RangeBar range={line.share} of={full} kind={kindOf(line)} />
                        <span class="number">{formatShare(line.share)}</span>
                    </span>
                ),
        },
        {
            key: "calls",
            title: "calls",
            hint: "operators of the line in one run",
            width: "56px",
            align: "right",
            hideBelow: 760,
            value: (line) => line.calls,
            cell: (line) => line.calls,
        },
        has((line) => line.written) && {
            key: "written",
            title: "written",
            hint: "bytes of the tensors that it makes in one run",
            width: "86px",
            align: "right" as const,
            hideBelow: 860,
            value: (line: Line) => line.written,
            copies: { written_bytes: (line: Line) => line.written },
            cell: (line: Line) => line.written !== null && formatBytes(line.written),
        },
        has((line) => line.error) && {
            key: "error",
            title: "error",
            hint: "largest error of the values that it computes",
            width: "80px",
            align: "right" as const,
            value: (line: Line) => line.error,
            cell: (line: Line) => line.error !== null && formatNumber(line.error),
        },
        withFile && {
            key: "file",
            title: "file",
            width: "160px",
            hideBelow: 900,
            value: (line: Line) => line.file,
            cell: (line: Line) => line.file !== null && <Name text={line.file} longest={40} />,
        },
        {
            key: "line",
            title: "line",
            width: "56px",
            align: "right",
            value: (line) => line.line,
            cell: (line) => <span class="muted">{line.line}</span>,
        },
        {
            key: "code",
            title: "code",
            width: "auto",
            value: (line) => line.code,
            cell: (line) =>
                line.file === null ? (
                    <span class="muted">{showCode(line.code)}</span>
                ) : (
                    <code class="code" title={showCode(line.code)}>
                        {showCode(line.code)}
                    </code>
                ),
        },
    ];
    return columns.filter((column) => column !== false);
}
