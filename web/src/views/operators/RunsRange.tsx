/** Times of one operator over the runs, on one logarithmic scale for the table. */
import type { Operators } from "../../state/operators";
import type { SumTimes } from "../../state/run_sums";
import { chooseUnit, fourDigits, sayTime, sentenceUnit, type TimeUnit } from "../../text/format";

export interface Scale {
    unit: TimeUnit;
    /** Exponents of 10 of both ends, in ns or cycles. */
    from: number;
    to: number;
}

const WIDTH = 176;
const HEIGHT = 16;

export function scaleOf(operators: Operators, ids: readonly number[]): Scale {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    let largest = 0;
    let unit = "ns";
    for (const id of ids) {
        const min = operators.time(id, "min");
        const max = operators.time(id, "max");
        unit = operators.unit(id);
        largest = Math.max(largest, operators.time(id, "p50")?.upper ?? 0);
        if (min === null || max === null) continue;
        if (min.upper > 0) least = Math.min(least, min.lower > 0 ? min.lower : min.upper);
        most = Math.max(most, max.upper);
    }
    const from = Number.isFinite(least) ? Math.floor(Math.log10(least)) : 0;
    return {
        unit: chooseUnit(largest, unit),
        from,
        to: Math.max(from + 1, most > 0 ? Math.ceil(Math.log10(most)) : 1),
    };
}

function position(scale: Scale, time: number): number {
    if (time <= 0) return 0;
    const part = (Math.log10(time) - scale.from) / (scale.to - scale.from);
    return Math.max(0, Math.min(1, part)) * WIDTH;
}

/** Of one operator; null: its clock is unknown. */
export function timesOfOperator(operators: Operators, id: number): SumTimes | null {
    const min = operators.time(id, "min");
    const max = operators.time(id, "max");
    const p10 = operators.time(id, "p10");
    const p90 = operators.time(id, "p90");
    const p50 = operators.time(id, "p50");
    if (min === null || max === null || p10 === null || p90 === null || p50 === null) return null;
    return { min, p10, p50, p90, max };
}

export function RunsRange(props: { times: SumTimes | null; unit: string; scale: Scale }) {
    const { times, unit, scale } = props;
    if (times === null) return null;
    const { min, p10, p50, p90, max } = times;
    const x = (time: number) => position(scale, time);
    const label = `${sayTime(min, unit)} to ${sayTime(max, unit)}, median ${sayTime(p50, unit)}`;
    const middle = HEIGHT / 2;
    return (
        <svg class="runs-range" width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
            <title>{label}</title>
            {decades(scale).map((at) => (
                <line key={at} class="decade" x1={at} x2={at} y1={0} y2={HEIGHT} />
            ))}
            <line x1={x(min.lower)} x2={x(max.upper)} y1={middle} y2={middle} />
            <rect
                x={x(p10.lower)}
                width={Math.max(1, x(p90.upper) - x(p10.lower))}
                y={middle - 3}
                height={6}
            />
            {p50.lower === p50.upper ? (
                <circle cx={x(p50.lower)} cy={middle} r={3} />
            ) : (
                <rect
                    class="median"
                    x={x(p50.lower)}
                    width={Math.max(2, x(p50.upper) - x(p50.lower))}
                    y={middle - 2}
                    height={4}
                />
            )}
        </svg>
    );
}

/** Where the powers of ten are. */
function decades(scale: Scale): number[] {
    const count = scale.to - scale.from;
    return Array.from({ length: count + 1 }, (_, i) => (i / count) * WIDTH);
}

/** Its ends: "0.01 to 1000 us". */
export function sayScale(scale: Scale): string {
    const say = (exponent: number) => {
        const unit = sentenceUnit(10 ** exponent, scale.unit.name);
        return `${fourDigits(10 ** exponent / unit.ns)} ${unit.name}`;
    };
    return `${say(scale.from)} to ${say(scale.to)}`;
}
