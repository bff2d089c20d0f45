/** The operators of what is seen or measured, by their time in it: the text of the picture. */
import { useMemo } from "preact/hooks";
import { Choice } from "../../parts/Choice";
import { DataTable } from "../../parts/DataTable";
import { useOpenTree } from "../../parts/tree";
import { type Page, useMembers, useParam, usePage } from "../../state/page";
import { type Selection, writeSelection } from "../../state/selection";
import { plural, sayTime } from "../../text/format";
import { lengthOf } from "./axis";
import { sumsIn } from "./in_range";
import type { Picture, Row } from "./picture";
import { rangeColumns } from "./rangeColumns";
import { type Form, rowsIn } from "./range_rows";
import { TimePicture } from "./time_picture";
import type { Span } from "./track";
import type { TreePicture } from "./tree_picture";

const FORMS: { value: Form; title: string; hint: string }[] = [
    { value: "list", title: "list", hint: "operators, by their own time" },
    { value: "callers", title: "bottom-up", hint: "operators of a name; in them, what calls them" },
    { value: "calls", title: "call tree", hint: "modules and calls; in them, what they call" },
];
/** More cannot stand in an address. */
const MOST_SELECTED = 1000;
/** Parts of the run that are open in the call tree at first. */
const OPEN_SHARE = 0.5;

export function RangeTable(props: {
    picture: Picture;
    span: Span;
    /** A range was selected; otherwise the span is what is seen. */
    isSelected: boolean;
    ownKeys: boolean;
}) {
    const page = usePage();
    const { picture, span } = props;
    const all = useMembers();
    /* A single operator has a row of its own. */
    const members = page.selection?.kind === "operator" ? null : all;
    const unitName = page.block?.unit ?? "ns";
    const [formText, setForm] = useParam("form", "list");
    const form = FORMS.find(({ value }) => value === formText)?.value ?? "list";
    const sums = useMemo(
        () => (picture instanceof TimePicture ? sumsIn(picture, page.operators, span) : null),
        [picture, span.from, span.to],
    );
    const roots = useMemo(
        () =>
            picture instanceof TimePicture && sums !== null
                ? rowsIn(picture, page.operators, sums, form)
                : (picture as TreePicture).rows(),
        [picture, sums, form],
    );
    const isTree = picture instanceof TimePicture && form !== "list";
    /* What a run goes into is seen at first; callers are seen when they are asked for. */
    const opened = useOpenTree(
        roots,
        ({ share }, level) => form === "calls" && (level === 0 || share.lower >= OPEN_SHARE),
    );
    const { rows, tree, sort } = isTree ? opened : { rows: roots };
    /* Trees of times per run have shares with what is inside. */
    const columnForm = picture instanceof TimePicture ? form : "calls";
    const columns = rangeColumns(page.operators, roots, unitName, columnForm, isTree);
    const length = { lower: lengthOf(span), upper: lengthOf(span) };
    const caption =
        picture instanceof TimePicture ? (
            <span>
                <b>{props.isSelected ? "Selected" : "In sight"}</b> {sayTime(length, unitName)} ·{" "}
                {plural(sums?.runs ?? 0, "run")}
                {props.isSelected && (
                    <button type="button" class="quiet" onClick={() => page.select(null)}>
                        Clear
                    </button>
                )}{" "}
                <Choice label="Table" options={FORMS} value={form} onChange={setForm} />
            </span>
        ) : (
            <b>Time per run</b>
        );
    return (
        <div class="range-table">
            <DataTable
                label="Operators in the timeline"
                sortParam="timesort"
                columns={columns}
                rows={rows}
                rowKey={(row) => row.key}
                sort={sort}
                tree={tree}
                isSelected={(row) => isChosen(page.selection, row)}
                isDim={(row) =>
                    members !== null &&
                    row.operators.length > 0 &&
                    !row.operators.some((id) => members.has(id))
                }
                ownKeys={props.ownKeys}
                caption={caption}
                onSelect={(row, isWalk) => {
                    const selection = selectionOf(row);
                    if (selection !== null) page.select(selection, undefined, isWalk);
                }}
                onOpen={tree && ((row) => tree.isOpen(row) !== null && tree.toggle(row))}
            />
        </div>
    );
}

/** What a row stands for; null: more than can be selected. */
function selectionOf(row: Row): Selection | null {
    const isOneModule = row.isModule && row.module !== null && !row.module.includes(", ");
    if (isOneModule && row.module !== null) return { kind: "module", name: row.module };
    const [id] = row.operators;
    if (id === undefined || row.operators.length > MOST_SELECTED) return null;
    return row.operators.length === 1
        ? { kind: "operator", id }
        : { kind: "operators", ids: row.operators };
}

function isChosen(selection: Page["selection"], row: Row): boolean {
    if (selection === null) return false;
    const own = selectionOf(row);
    if (selection.kind === "operator") return own?.kind === "operator" && own.id === selection.id;
    return own !== null && writeSelection(own) === writeSelection(selection);
}
