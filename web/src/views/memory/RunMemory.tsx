/** Memory at run time: a list for each way in which it was counted. */
import type { ComponentChildren } from "preact";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { Name } from "../../parts/Name";
import { RangeBar } from "../../parts/RangeBar";
import { listOf } from "../../state/joins";
import { type Page, useParam, usePage } from "../../state/page";
import { formatBytes, formatCount, largestOf } from "../../text/format";
import { show } from "../../text/show";
import type { MemoryList, MemoryRow } from "./run_memory";

export function RunMemory(props: { caption: ComponentChildren; lists: MemoryList[] }) {
    const page = usePage();
    const [chosen, setChosen] = useParam("counted");
    const list = props.lists.find(({ key }) => key === chosen) ?? (props.lists[0] as MemoryList);
    const caption = (
        <>
            {props.caption}
            <Choice
                label="Counted"
                options={props.lists.map(({ key, title, hint }) => ({ value: key, title, hint }))}
                value={list.key}
                onChange={setChosen}
            />
            <span class="muted">{list.hint}</span>
        </>
    );
    return (
        <DataTable
            key={list.key}
            label={`Memory at run time, ${list.title}`}
            sortParam="memsort"
            columns={columnsOf(list)}
            rows={list.rows}
            rowKey={(row) => row.id}
            isSelected={(row) => {
                const id = operatorOf(page, row);
                return (
                    id !== null && page.selection?.kind === "operator" && page.selection.id === id
                );
            }}
            onSelect={(row, isWalk) => {
                const id = operatorOf(page, row);
                page.select(id === null ? null : { kind: "operator", id }, undefined, isWalk);
            }}
            caption={caption}
        />
    );
}

/** The operator of the instruction that a row names. */
function operatorOf(page: Page, row: MemoryRow): number | null {
    if (row.instruction === null) return null;
    const { operators } = page;
    for (const block of operators.blocks) {
        if (block.name !== "Execute" || !listOf(block.method).includes(row.method ?? "")) continue;
        for (const id of operators.order.get(block.id) ?? []) {
            const isThere = operators.instruction(id) === row.instruction;
            if (isThere && operators.chain(id) === row.chain) return id;
        }
    }
    return null;
}

function columnsOf(list: MemoryList): Column<MemoryRow>[] {
    const most = largestOf(list.rows, (row) => row.bytes ?? 0);
    const hasPhase = list.rows.some((row) => row.phase !== null);
    const columns: (Column<MemoryRow> | false)[] = [
        {
            key: "method",
            title: "method",
            width: "110px",
            value: (row) => row.method,
            cell: (row) =>
                row.method === null ? (
                    <span class="muted">(program)</span>
                ) : (
                    <Name text={row.method} longest={30} />
                ),
        },
        hasPhase && {
            key: "phase",
            title: "phase",
            hint: "load is apart from run",
            width: "64px",
            value: (row: MemoryRow) => row.phase,
            cell: (row: MemoryRow) => row.phase,
        },
        {
            key: "what",
            title: list.key === "process" ? "moment" : list.key === "owners" ? "owner" : "what",
            width: "240px",
            value: (row) => row.what,
            cell: (row) => <Name text={row.what} longest={60} />,
        },
        {
            key: "bytes",
            title: "bytes",
            hint: list.hint,
            width: "240px",
            value: (row) => row.bytes,
            copies: { size_bytes: (row) => row.bytes },
            cell: (row) =>
                row.bytes === null ? (
                    <span class="muted">not known</span>
                ) : (
                    <span class="share" title={`${formatCount(row.bytes)} B`}>
                        <RangeBar
                            range={{ lower: row.bytes, upper: row.bytes }}
                            of={most}
                            kind={
                                row.phase === "load"
                                    ? "other"
                                    : row.phase === "run"
                                      ? "portable"
                                      : undefined
                            }
                        />
                        <span class="number">{formatBytes(row.bytes)}</span>
                    </span>
                ),
        },
        {
            key: "notes",
            title: "more",
            width: "auto",
            value: (row) => row.notes.join(", "),
            cell: (row) => <span class="muted">{show(row.notes.join(", "))}</span>,
        },
    ];
    return columns.filter((column) => column !== false);
}
