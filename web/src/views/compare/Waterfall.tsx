/** How the time before became the time after, drawn to scale: one bar for each part of the change. */
import { showName } from "../../text/show";
import { formatTime, type TimeUnit } from "../../text/format";
import type { Difference } from "../../state/differences";
import { describe, extent, isUndecided, sayChange, type Step, waterfall } from "./rows";

const ROW = 22;
const NAMES = 190;
const PLOT = 260;
const NUMBERS = 96;
const WIDTH = NAMES + PLOT + NUMBERS;

export function Waterfall(props: {
    total: Difference;
    lines: readonly Difference[];
    unit: TimeUnit;
    onSelect: (line: Difference) => void;
    selected: number | null;
}) {
    const { total, lines, unit } = props;
    const steps = waterfall(total, lines);
    const range = extent(steps, total);
    const x = (time: number) =>
        NAMES + ((time - range.lower) / (range.upper - range.lower || 1)) * PLOT;
    const height = (steps.length + 2) * ROW + 4;
    const label = `Waterfall from ${formatTime(total.before, unit)} to ${formatTime(total.after, unit)} ${unit.name}: ${steps
        .map((step) => `${step.title} ${sayChange(step.to - step.from, unit)}`)
        .join(", ")}`;
    return (
        <svg
            class="waterfall"
            viewBox={`0 0 ${WIDTH} ${height}`}
            role="img"
            aria-label={label}
            style={{ maxWidth: `${WIDTH * 1.15}px` }}
        >
            <Hatches />
            <Whole row={0} title="before" time={total.before?.lower ?? 0} x={x} unit={unit} />
            {steps.map((step, i) => (
                <Bar
                    key={step.line?.id ?? "rest"}
                    row={i + 1}
                    step={step}
                    x={x}
                    unit={unit}
                    isSelected={step.line !== null && step.line.id === props.selected}
                    onSelect={props.onSelect}
                />
            ))}
            <Whole
                row={steps.length + 1}
                title="after"
                time={total.after?.lower ?? 0}
                x={x}
                unit={unit}
            />
        </svg>
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
    row: number;
}

function Whole(props: Scale & { title: string; time: number }) {
    const { x, row, time, unit, title } = props;
    const y = row * ROW;
    return (
        <g class="whole">
            <text x={NAMES - 8} y={y + 15} text-anchor="end">
                {title}
            </text>
            <rect x={x(0)} y={y + 3} width={Math.max(1, x(time) - x(0))} height={ROW - 6} />
            <text x={WIDTH} y={y + 15} text-anchor="end">
                {formatTime({ lower: time, upper: time }, unit)} {unit.name}
            </text>
        </g>
    );
}

function Bar(
    props: Scale & { step: Step; isSelected: boolean; onSelect: (line: Difference) => void },
) {
    const { x, row, step, unit } = props;
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
            <rect class="row" x={0} y={y} width={WIDTH} height={ROW} />
            <line class="join" x1={x(step.from)} x2={x(step.from)} y1={y - 3} y2={y + 3} />
            <text x={NAMES - 8} y={y + 15} text-anchor="end">
                {showName(step.title, 26)}
            </text>
            <rect
                class="part"
                x={x(left)}
                y={y + 3}
                width={Math.max(1, x(right) - x(left))}
                height={ROW - 6}
            />
            <text x={WIDTH} y={y + 15} text-anchor="end">
                {sayChange(step.to - step.from, unit)} {line === null ? "" : mark}
            </text>
        </g>
    );
}
