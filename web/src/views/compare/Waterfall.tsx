/** How the time before became the time after, drawn to scale: one bar for each part of the change. */
import { fitName, useWidth } from "../../parts/fit";
import { formatTime, type TimeUnit } from "../../text/format";
import type { Difference } from "../../state/differences";
import { describe, isUndecided, sayChange } from "./rows";
import { extent, type Part, type Step, waterfall } from "./steps";

const ROW = 22;
const NUMBERS = 100;
const WIDEST = 760;

interface Room {
    names: number;
    width: number;
}

/** Names have what bars do not need. */
const roomOf = (width: number): Room => ({
    width: Math.min(width, WIDEST),
    names: Math.max(96, Math.min(300, Math.round((Math.min(width, WIDEST) - NUMBERS) * 0.46))),
});

export function Waterfall(props: {
    total: Difference;
    parts: readonly Part[];
    unit: TimeUnit;
    onSelect: (line: Difference) => void;
    selected: number | null;
}) {
    const { total, parts, unit } = props;
    const [element, measured] = useWidth(280);
    const room = roomOf(measured);
    const steps = waterfall(total, parts);
    const range = extent(steps, total);
    const plot = room.width - room.names - NUMBERS;
    const x = (time: number) =>
        room.names + ((time - range.lower) / (range.upper - range.lower || 1)) * plot;
    const height = (steps.length + 2) * ROW + 4;
    const label = `Waterfall from ${formatTime(total.before, unit)} to ${formatTime(total.after, unit)} ${unit.name}: ${steps
        .map((step) => `${step.title} ${sayChange(step.to - step.from, unit)}`)
        .join(", ")}`;
    const scale = { x, unit, room };
    return (
        <div ref={element}>
            <svg class="waterfall" width={room.width} height={height} role="img" aria-label={label}>
                <Hatches />
                <Whole {...scale} row={0} title="before" time={total.before?.lower ?? 0} />
                {steps.map((step, i) => (
                    <Bar
                        {...scale}
                        key={step.key}
                        row={i + 1}
                        step={step}
                        isSelected={step.line !== null && step.line.id === props.selected}
                        onSelect={props.onSelect}
                    />
                ))}
                <Whole
                    {...scale}
                    row={steps.length + 1}
                    title="after"
                    time={total.after?.lower ?? 0}
                />
            </svg>
        </div>
    );
}

/** A change that no test decided is hatched, not filled. */
function Hatches() {
    return (
        <defs>
            <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse">
                <path d="M-1,1 l2,-2 M0,5 l5,-5 M4,6 l2,-2" class="hatch" />
            </pattern>
        </defs>
    );
}

interface Scale {
    x: (time: number) => number;
    unit: TimeUnit;
    room: Room;
    row: number;
}

function Whole(props: Scale & { title: string; time: number }) {
    const { x, row, time, unit, title, room } = props;
    const y = row * ROW;
    return (
        <g class="whole">
            <text x={room.names - 8} y={y + 15} text-anchor="end">
                {title}
            </text>
            <rect x={x(0)} y={y + 3} width={Math.max(1, x(time) - x(0))} height={ROW - 6} />
            <text x={room.width} y={y + 15} text-anchor="end">
                {formatTime({ lower: time, upper: time }, unit)} {unit.name}
            </text>
        </g>
    );
}

function Bar(
    props: Scale & { step: Step; isSelected: boolean; onSelect: (line: Difference) => void },
) {
    const { x, row, step, unit, room } = props;
    const y = row * ROW;
    const [left, right] = [Math.min(step.from, step.to), Math.max(step.from, step.to)];
    const { line } = step;
    const { mark, word } = describe(step.verdict);
    return (
        <g
            class={props.isSelected ? "step chosen" : "step"}
            data-verdict={isUndecided(step.verdict) ? "undecided" : step.verdict}
            onClick={() => line !== null && props.onSelect(line)}
        >
            <title>{`${step.title}: ${sayChange(step.to - step.from, unit)} ${unit.name}, ${line === null ? "not judged" : word}`}</title>
            <rect class="row" x={0} y={y} width={room.width} height={ROW} />
            <line class="join" x1={x(step.from)} x2={x(step.from)} y1={y - 3} y2={y + 3} />
            <text x={room.names - 8} y={y + 15} text-anchor="end">
                {fitName(step.title, room.names - 10)}
            </text>
            <rect
                class="part"
                x={x(left)}
                y={y + 3}
                width={Math.max(1, x(right) - x(left))}
                height={ROW - 6}
            />
            <text x={room.width} y={y + 15} text-anchor="end">
                {sayChange(step.to - step.from, unit)} {line === null ? "" : mark}
            </text>
        </g>
    );
}
