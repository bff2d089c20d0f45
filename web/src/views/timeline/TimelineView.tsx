/** Every run in time: what ran when, and how long; or as trees of times per run. */
import { useMemo } from "preact/hooks";
import { BlockChoice } from "../../parts/BlockChoice";
import { Choice } from "../../parts/Choice";
import { type Page, useParam, usePage } from "../../state/page";
import { plural } from "../../text/format";
import type { View } from "../view";
import { AlignedPicture } from "./aligned_picture";
import { alignedRuns } from "./aligned_runs";
import type { Picture } from "./picture";
import { PictureView } from "./PictureView";
import { TimePicture } from "./time_picture";
import { callTree, mergedTree, moduleTree, TreePicture } from "./tree_picture";
import "./timeline.css";

export const timelineView: View = {
    id: "timeline",
    title: "Timeline",
    isOfTimes: true,
    takes: ["TRACE"],
    needs: ["operators", "runs"],
    loads: ["events", "modules"],
    isThere: (document) => document.has("events"),
    component: Timeline,
    shows: ["operator", "operators", "line", "module", "node", "run", "range"],
};

const LAYOUTS = [
    { value: "time", title: "in time", hint: "events where they happened" },
    { value: "runs", title: "runs side by side", hint: "several runs, each from its start on" },
    { value: "heavy", title: "left heavy", hint: "operators of one name as one, longest first" },
    { value: "calls", title: "by call", hint: "what encloses what, in order of execution" },
    { value: "modules", title: "by module", hint: "the tree of modules" },
];

function Timeline() {
    const page = usePage();
    const { block } = page;
    const [layout] = useParam("layout", "time");
    const timed = useMemo(() => pictureOf(page, layout), [page, block?.id, layout]);
    const [runs] = useParam("runs");
    const picture = useMemo(
        () =>
            layout === "runs" && timed instanceof TimePicture && timed.runs.length > 1
                ? new AlignedPicture(timed, alignedRuns(page, timed), block?.unit ?? "ns")
                : timed,
        [timed, layout, runs],
    );
    const options = LAYOUTS.filter(
        ({ value }) =>
            (value !== "modules" || page.document.has("modules")) &&
            (value !== "runs" || (block?.runs ?? 0) > 1),
    );
    return (
        <div class="timeline">
            <div class="table-tools">
                <div>
                    <BlockChoice />
                    <Choice
                        label="Layout"
                        options={options}
                        value={options.some(({ value }) => value === layout) ? layout : "time"}
                        onChange={(value) =>
                            page.store.set({ layout: value === "time" ? null : value, t: null })
                        }
                    />
                    <Notes picture={picture} />
                </div>
                {picture instanceof TimePicture && (
                    <span class="muted hint">
                        wheel zooms · drag moves · shift-drag measures · f fits
                    </span>
                )}
            </div>
            {picture === null ? (
                <p class="none">The report has no events of these runs.</p>
            ) : (
                <PictureView key={`${block?.id} ${layout}`} picture={picture} />
            )}
        </div>
    );
}

function Notes(props: { picture: Picture | null }) {
    const { picture } = props;
    if (picture instanceof TreePicture)
        return <span class="muted">widths are lower bounds of the time per run</span>;
    if (picture instanceof AlignedPicture)
        return picture.isCut && <span class="muted">deeper lanes of the runs are not drawn</span>;
    if (!(picture instanceof TimePicture)) return null;
    const notes = [
        picture.runs.length > 1 &&
            `run ${picture.numbers[picture.medianRun]} is the nearest to the median`,
        picture.untimed > 0 &&
            `${plural(picture.untimed, "event")} per run not drawn: a clock of their own`,
        picture.isCut && "deeper lanes are not drawn",
    ].filter(Boolean);
    return notes.length === 0 ? null : <span class="muted">{notes.join("; ")}</span>;
}

function pictureOf(page: Page, layout: string): Picture | null {
    const { block, operators } = page;
    if (block === null) return null;
    if (layout === "heavy")
        return new TreePicture(operators, block, mergedTree(operators, block), block.title);
    if (layout === "calls")
        return new TreePicture(operators, block, callTree(operators, block), block.title);
    if (layout === "modules" && page.document.has("modules"))
        return new TreePicture(operators, block, moduleTree(page.document, block), block.title);
    const matrix = page.document.events().find((events) => events.block === block.id);
    if (matrix === undefined || matrix.positions === 0 || matrix.runs === 0) return null;
    const number = page.document.table("runs").number("number");
    const numbers = page.runsOfMatrix(matrix).map((id) => number(id) ?? id);
    return new TimePicture(operators, matrix, block, numbers);
}
