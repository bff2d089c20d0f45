/** Errors along the graph: of each value in total, and what its own operators add. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatNumber } from "../../text/format";
import { showName } from "../../text/show";
import { decades } from "../cost/scale";
import type { Value } from "./values";

interface Props {
    values: readonly Value[];
    chosen: number | null;
    choose: (row: number) => void;
}

const HEIGHT = 240;
const [LEFT, TOP, BOTTOM] = [64, 12, HEIGHT - 28];

/** Colours of findings: right, wrong, and what others or rounding explain. */
export function colourOf(finding: string): "good" | "bad" | "note" {
    if (finding === "agrees") return "good";
    return finding === "guilty" || finding === "off" ? "bad" : "note";
}

export function ErrorChart(props: Props) {
    const element = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(800);
    useLayoutEffect(() => {
        const target = element.current as HTMLDivElement;
        const measure = () => setWidth(Math.max(320, target.clientWidth));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(target);
        return () => observer.disconnect();
    }, []);
    const { values } = props;
    const errors = values.flatMap(({ total, own, threshold }) =>
        [total, own, threshold].filter((error): error is number => error !== null && error > 0),
    );
    const [low, high] = decades(errors);
    const right = width - 28;
    const x = (row: number) =>
        values.length < 2
            ? (LEFT + right) / 2
            : LEFT + (row / (values.length - 1)) * (right - LEFT);
    /* an error of 0 lies on the axis */
    const y = (error: number) => {
        const part = error <= 0 ? 0 : (Math.log10(error) - low) / (high - low);
        return BOTTOM - Math.max(0, Math.min(1, part)) * (BOTTOM - TOP);
    };
    const powers = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const step = Math.ceil(powers.length / 8);
    const limit = values.map(
        ({ threshold }, row) =>
            threshold !== null && `${x(row).toFixed(1)},${y(threshold).toFixed(1)}`,
    );
    return (
        <div class="error-chart" ref={element}>
            <svg
                width={width}
                height={HEIGHT}
                role="img"
                aria-label={`Errors of ${values.length} values in the order of the graph; the table below lists them`}
            >
                {powers
                    .filter((_, i) => i % step === 0)
                    .map((power) => (
                        <g key={power} class="axes">
                            <line x1={LEFT} x2={right} y1={y(10 ** power)} y2={y(10 ** power)} />
                            <text x={LEFT - 6} y={y(10 ** power) + 4} text-anchor="end">
                                {formatNumber(10 ** power)}
                            </text>
                        </g>
                    ))}
                <text x={(LEFT + right) / 2} y={HEIGHT - 8} text-anchor="middle">
                    values in the order of the graph
                </text>
                <polyline class="limit" points={limit.filter(Boolean).join(" ")} />
                {values.map((value, row) => (
                    <Mark
                        key={value.row}
                        value={value}
                        isChosen={value.row === props.chosen}
                        x={x(row)}
                        total={value.total === null ? null : y(value.total)}
                        own={value.own === null ? null : y(value.own)}
                        choose={() => props.choose(value.row)}
                    />
                ))}
            </svg>
        </div>
    );
}

/** A point for the whole error, a ring for the own one. */
function Mark(props: {
    value: Value;
    isChosen: boolean;
    x: number;
    total: number | null;
    own: number | null;
    choose: () => void;
}) {
    const { value, x, total, own } = props;
    if (total === null && own === null) return null;
    return (
        <g class={`mark${props.isChosen ? " chosen" : ""}`} onClick={props.choose}>
            <title>{sayValue(value)}</title>
            {own !== null && <circle class="own" cx={x} cy={own} r={props.isChosen ? 7 : 5} />}
            {total !== null && (
                <circle
                    cx={x}
                    cy={total}
                    r={props.isChosen ? 5 : 3.5}
                    style={{ fill: `var(--${colourOf(value.finding)})` }}
                />
            )}
        </g>
    );
}

const sayValue = (value: Value): string =>
    `${showName(value.name, 60)}: error ${formatNumber(value.total)}, ` +
    `own ${formatNumber(value.own)}, ${value.finding}`;
