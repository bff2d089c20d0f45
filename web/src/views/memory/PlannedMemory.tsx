/** A map of lifetimes against offsets, and the tensors that are alive at its cursor. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useCanvas } from "../../parts/canvas";
import { Choice } from "../../parts/Choice";
import { type Column, DataTable } from "../../parts/DataTable";
import { useKeys } from "../../parts/keys";
import { Legend } from "../../parts/Legend";
import { Name } from "../../parts/Name";
import { Place } from "../../parts/Place";
import { RangeBar } from "../../parts/RangeBar";
import { type Page, useMembers, useParam, usePage } from "../../state/page";
import { formatBytes, formatCount, formatShare, plural } from "../../text/format";
import { show } from "../../text/show";
import { drawPlan, frameOf, instructionAt, tensorAt } from "./plan_drawing";
import { commonModule, type Group, groupTensors, operatorsByInstruction } from "./groups";
import { HeldBeside } from "./HeldBeside";
import { type Alive, aliveAt, type Plan, plansOf, type Tensor } from "./plan";

export function PlannedMemory(props: { caption: ComponentChildren }) {
    const page = usePage();
    const plans = useMemo(() => plansOf(page.document), [page]);
    const [chosen, setPlan] = useParam("plan");
    const plan =
        plans.find(({ key }) => key === chosen) ??
        plans.find(({ method }) => method === page.block?.method) ??
        (plans[0] as Plan);
    const [by, setBy] = useParam("tint", "module");
    const state = usePlanState(page, plan, by);
    const tools = (
        <div class="memory-tools">
            {props.caption}
            {plans.length > 1 && (
                <label class="block-choice">
                    Arena{" "}
                    <select
                        value={plan.key}
                        onChange={(event) => {
                            setPlan(event.currentTarget.value);
                            page.store.set({ at: null, tensor: null });
                        }}
                    >
                        {plans.map((each) => (
                            <option key={each.key} value={each.key}>
                                {planTitle(each)} · {formatBytes(each.bytes)}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            <Choice
                label="Colour"
                options={[
                    { value: "module", title: "module" },
                    { value: "kind", title: "kind" },
                ]}
                value={by}
                onChange={setBy}
            />
            <Legend groups={state.groups.all} />
        </div>
    );
    return (
        <div class="memory">
            {tools}
            <p class="memory-headline">{headline(plan)}</p>
            <HeldBeside page={page} method={plan.method} planned={plan.bytes} />
            <PlanMap plan={plan} state={state} />
            <TensorList plan={plan} state={state} />
        </div>
    );
}

const planTitle = (plan: Plan): string =>
    `${show(plan.method)}, memory ${plan.memoryId}${plan.isOnDevice ? " (device)" : ""}`;

function headline(plan: Plan): string {
    const at = plan.peakInstruction;
    const name = at === null ? null : (plan.names[at] ?? null);
    const place =
        at === null ? "" : ` at instruction ${at}${name === null ? "" : ` (${show(name)})`}`;
    const padding = plan.paddingBytes > 0 ? `; ${formatBytes(plan.paddingBytes)} padding` : "";
    return (
        `${planTitle(plan)}: ${formatBytes(plan.bytes)} planned; peak ` +
        `${formatBytes(plan.peakBytes)}${place}; no plan of these lifetimes is smaller than ` +
        `${formatBytes(plan.boundBytes)}${padding}.`
    );
}

interface PlanState {
    cursor: number;
    setCursor: (instruction: number) => void;
    /** The chosen tensor. */
    chosen: Tensor | null;
    choose: (tensor: Tensor, isWalk: boolean) => void;
    groups: { of: Map<number, Group>; all: Group[] };
    /** Tensors that the selected operators neither make nor are selected themselves. */
    isDim: (tensor: Tensor) => boolean;
    operatorOf: (tensor: Tensor) => number | null;
}

function usePlanState(page: Page, plan: Plan, by: string): PlanState {
    const [at, setAt] = useParam("at");
    const [value, setValue] = useParam("tensor");
    const members = useMembers();
    const byInstruction = useMemo(() => operatorsByInstruction(page, plan), [plan, page.block]);
    const operatorOf = (tensor: Tensor) =>
        tensor.producer === null ? null : (byInstruction.get(tensor.producer) ?? null);
    const groups = useMemo(
        () =>
            groupTensors(plan, by, (tensor) => {
                const id = operatorOf(tensor);
                return id === null ? null : commonModule(page.operators.module(id));
            }),
        [plan, by, byInstruction],
    );
    const last = Math.max(0, plan.live.length - 1);
    const wanted = /^\d{1,9}$/.test(at) ? Number(at) : (plan.peakInstruction ?? 0);
    const chosen = plan.tensors.find((tensor) => String(tensor.value) === value) ?? null;
    return {
        cursor: Math.min(last, wanted),
        setCursor: (instruction) => setAt(String(Math.max(0, Math.min(last, instruction)))),
        chosen,
        choose: (tensor, isWalk) => {
            setValue(String(tensor.value));
            const id = operatorOf(tensor);
            page.select(id === null ? null : { kind: "operator", id }, undefined, isWalk);
        },
        groups,
        isDim: (tensor) => {
            if (members === null || tensor === chosen) return false;
            const id = operatorOf(tensor);
            return id === null || !members.has(id);
        },
        operatorOf,
    };
}

function PlanMap({ plan, state }: { plan: Plan; state: PlanState }) {
    const page = usePage();
    const [hovered, setHovered] = useState<Tensor | null>(null);
    const { ref } = useCanvas((surface) =>
        drawPlan(surface, plan, {
            cursor: state.cursor,
            chosen: state.chosen?.value ?? null,
            hovered: hovered?.value ?? null,
            groups: state.groups.of,
            isDim: state.isDim,
        }),
    );
    const place = (event: MouseEvent) => {
        const { clientWidth, clientHeight } = event.currentTarget as HTMLCanvasElement;
        const frame = frameOf(plan, clientWidth, clientHeight);
        return {
            instruction: instructionAt(plan, frame, event.offsetX),
            tensor: tensorAt(plan, frame, event.offsetX, event.offsetY),
        };
    };
    const go = (instruction: number) => {
        state.setCursor(instruction);
        const at = Math.max(0, Math.min(plan.live.length - 1, instruction));
        page.announce(`instruction ${at}: ${formatBytes(plan.live[at] ?? 0)} live`);
    };
    useKeys("Memory map", [
        {
            keys: ["ArrowLeft", ","],
            label: "previous instruction",
            run: () => go(state.cursor - 1),
        },
        { keys: ["ArrowRight", "."], label: "next instruction", run: () => go(state.cursor + 1) },
        { keys: ["p"], label: "to the peak", run: () => go(plan.peakInstruction ?? 0) },
    ]);
    const shown = hovered ?? state.chosen;
    return (
        <>
            <canvas
                class="memory-map"
                role="img"
                aria-label={`Lifetimes of ${plural(plan.tensors.length, "tensor")} over ${plural(plan.live.length, "instruction")}, and the live bytes; the list of all tensors tells the same`}
                ref={ref}
                onMouseMove={(event) => setHovered(place(event).tensor)}
                onMouseLeave={() => setHovered(null)}
                onClick={(event) => {
                    const { instruction, tensor } = place(event);
                    if (instruction !== null) state.setCursor(instruction);
                    if (tensor !== null) state.choose(tensor, false);
                }}
            />
            <p class="memory-status">
                {shown === null ? (
                    <span class="muted">
                        Hatched: a view of another tensor.{" "}
                        <span class="hint">
                            <kbd>←</kbd> <kbd>→</kbd> move the cursor, <kbd>p</kbd> goes to the
                            peak.
                        </span>
                    </span>
                ) : (
                    <TensorLine plan={plan} tensor={shown} />
                )}
            </p>
        </>
    );
}

function TensorLine({ plan, tensor }: { plan: Plan; tensor: Tensor }) {
    const by = tensor.producer === null ? null : plan.names[tensor.producer];
    return (
        <>
            <b>
                <Name text={tensor.name} longest={60} />
            </b>{" "}
            value {tensor.value}, {kindOf(tensor)}: {bytesOf(tensor)}
            {tensor.dtype !== null && `, ${show(tensor.dtype)} ${show(tensor.shape ?? "")}`} at
            offset {formatCount(tensor.offset)}; {lifetimeOf(tensor)}
            {by ? `; made by instruction ${tensor.producer} (${show(by)})` : ""}; read by{" "}
            {plural(tensor.readers, "instruction")}
        </>
    );
}

const bytesOf = (tensor: Tensor): string =>
    `${tensor.isUpperBound ? "≤ " : ""}${formatBytes(tensor.bytes)}`;

const kindOf = (tensor: Tensor): string =>
    tensor.viewOf === null ? show(tensor.kind) : `${show(tensor.kind)}, view of ${tensor.viewOf}`;

const lifetimeOf = (tensor: Tensor): string =>
    tensor.pieces.length === 0
        ? "never live"
        : `live ${tensor.pieces.map(([first, last]) => `${first}..${last}`).join(", ")}`;

function TensorList({ plan, state }: { plan: Plan; state: PlanState }) {
    const page = usePage();
    const [list, setList] = useParam("list", "alive");
    const live = plan.live[state.cursor] ?? 0;
    const rows = useMemo(
        () =>
            list === "all"
                ? plan.tensors.map((tensor) => ({ tensor, added: tensor.bytes }))
                : aliveAt(plan, state.cursor),
        [plan, list, state.cursor],
    );
    const name = plan.names[state.cursor];
    const caption = (
        <>
            <Choice
                label="Tensors"
                options={[
                    { value: "alive", title: "alive at the cursor" },
                    { value: "all", title: "all" },
                ]}
                value={list}
                onChange={setList}
            />
            <span class="muted memory-cursor">
                {list === "all" ? (
                    plural(plan.tensors.length, "tensor")
                ) : (
                    <>
                        instruction {state.cursor}
                        {name ? ` (${show(name)})` : ""}: {formatBytes(live)} live in{" "}
                        {plural(rows.length, "tensor")}
                    </>
                )}
            </span>
        </>
    );
    return (
        <div class="memory-list">
            <DataTable
                key={list}
                label={list === "all" ? "All tensors" : "Tensors alive at the cursor"}
                sortParam="memsort"
                columns={columnsOf(page, plan, state, list === "all" ? null : live)}
                rows={rows}
                rowKey={({ tensor }) => tensor.value}
                isSelected={({ tensor }) => tensor === state.chosen}
                isDim={({ tensor }) => state.isDim(tensor)}
                onSelect={({ tensor }, isWalk) => state.choose(tensor, isWalk)}
                onOpen={({ tensor }) => {
                    const id = state.operatorOf(tensor);
                    if (id !== null) page.select({ kind: "operator", id }, "operators");
                }}
                caption={caption}
            />
        </div>
    );
}

/** `live`: bytes of which the list has shares; null: of none. */
function columnsOf(page: Page, plan: Plan, state: PlanState, live: number | null): Column<Alive>[] {
    const most = live ?? Math.max(1, ...plan.tensors.map((tensor) => tensor.bytes));
    const right = "right" as const;
    const source = ({ tensor }: Alive) => {
        const id = state.operatorOf(tensor);
        return id === null ? null : page.operators.source(id);
    };
    return [
        {
            key: "value",
            title: "value",
            width: "60px",
            hideBelow: 520,
            align: right,
            value: ({ tensor }) => tensor.value,
            cell: ({ tensor }) => tensor.value,
        },
        {
            key: "name",
            title: "tensor",
            hint: "its name, or that of the operator that makes it",
            width: "auto",
            value: ({ tensor }) => tensor.name,
            cell: ({ tensor }) => (
                <span class="swatched">
                    <span
                        class="swatch"
                        style={{
                            background: `var(--${state.groups.of.get(tensor.value)?.colour})`,
                        }}
                    />
                    <Name text={tensor.name} longest={60} />
                </span>
            ),
        },
        {
            key: "kind",
            title: "kind",
            width: "112px",
            hideBelow: 720,
            value: ({ tensor }) => kindOf(tensor),
            cell: ({ tensor }) => kindOf(tensor),
        },
        {
            key: "bytes",
            title: "bytes",
            hint: "≤: the shape is dynamic",
            width: "86px",
            align: right,
            value: ({ tensor }) => tensor.bytes,
            copies: { size_bytes: ({ tensor }) => tensor.bytes },
            cell: ({ tensor }) => bytesOf(tensor),
        },
        {
            key: "share",
            title: live === null ? "of the largest" : "of live bytes",
            hint: "what several tensors share counts once",
            width: "126px",
            ...(live === null ? {} : { value: ({ added }: Alive) => added / Math.max(1, live) }),
            cell: ({ added }) => {
                const part = added / Math.max(1, most);
                return (
                    <span class="share">
                        <RangeBar range={{ lower: added, upper: added }} of={most} />
                        {live !== null && (
                            <span class="number memory-share">
                                {added === 0 ? "shared" : formatShare({ lower: part, upper: part })}
                            </span>
                        )}
                    </span>
                );
            },
        },
        {
            key: "offset",
            title: "offset",
            width: "80px",
            hideBelow: 520,
            align: right,
            value: ({ tensor }) => tensor.offset,
            cell: ({ tensor }) => formatCount(tensor.offset),
        },
        {
            key: "first",
            title: "first",
            hint: "instruction from which it is live",
            width: "52px",
            hideBelow: 440,
            align: right,
            value: ({ tensor }) => tensor.first,
            cell: ({ tensor }) => tensor.first,
        },
        {
            key: "last",
            title: "last",
            hint: "the last instruction that needs it",
            width: "52px",
            hideBelow: 440,
            align: right,
            value: ({ tensor }) => tensor.last,
            cell: ({ tensor }) => tensor.last,
        },
        {
            key: "shape",
            title: "shape",
            width: "130px",
            hideBelow: 1000,
            value: ({ tensor }) => tensor.shape,
            cell: ({ tensor }) => <Name text={tensor.shape} longest={40} />,
        },
        {
            key: "source",
            title: "source",
            width: "150px",
            hideBelow: 800,
            value: source,
            cell: (row) => <Place text={source(row)} />,
        },
    ];
}
