/** Operators as points: operations per byte across, operations per second upwards. */
import { useWidth } from "../../parts/fit";
import {
    formatCount,
    formatNumber,
    joinBounds,
    largestOf,
    plural,
    type Range,
    sayTime,
} from "../../text/format";
import { show, showName } from "../../text/show";
import { bandLine, type Frame, frameOf, x, y } from "./scale";
import type { Roof, Work } from "./work";

interface Props {
    works: readonly Work[];
    /** Those of the trace that it is compared with. */
    others: readonly Work[];
    side: string;
    /** Of an operator those of the other trace that it became, or was. */
    partners: ReadonlyMap<number, readonly number[]>;
    roofs: readonly Roof[];
    chosen: number | null;
    isDim: (id: number) => boolean;
    choose: (id: number) => void;
}

const HEIGHT = 320;

export function Roofline(props: Props) {
    const [element, width] = useWidth(320);
    const frame = frameOf(width, HEIGHT, [...props.works, ...props.others], props.roofs);
    const points = props.works.filter((work) => work.intensity !== null);
    const others = props.others.filter((work) => work.intensity !== null);
    const longest = largestOf([...points, ...others], (work) => work.time.lower);
    const partners = props.partners.get(props.chosen ?? -1) ?? [];
    return (
        <div class="roofline" ref={element}>
            <svg
                width={width}
                height={HEIGHT}
                role="img"
                aria-label={`Operations per second against operations per byte of ${points.length} operators; the table below lists them${others.length > 0 ? `; ${plural(others.length, "diamond")} ${props.side}` : ""}`}
            >
                <Axes frame={frame} />
                {props.roofs.map((roof) => (
                    <RoofLine key={roof.name} frame={frame} roof={roof} roofs={props.roofs} />
                ))}
                {others.map((work) => (
                    <OtherPoint
                        key={work.id}
                        frame={frame}
                        work={work}
                        side={props.side}
                        isChosen={partners.includes(work.id)}
                        radius={radiusOf(work, longest)}
                        choose={props.choose}
                    />
                ))}
                {[...points]
                    .sort((a, b) => Number(a.id === props.chosen) - Number(b.id === props.chosen))
                    .map((work) => (
                        <Point
                            key={work.id}
                            frame={frame}
                            work={work}
                            isChosen={work.id === props.chosen}
                            isDim={props.isDim(work.id)}
                            radius={radiusOf(work, longest)}
                            choose={props.choose}
                        />
                    ))}
            </svg>
        </div>
    );
}

/** The area is the share of the time; the least can still be hit. */
const radiusOf = (work: Work, longest: number): number =>
    Math.max(3, 12 * Math.sqrt(work.time.lower / Math.max(longest, 1)));

const sayPower = (value: number): string => (value >= 1 ? formatCount(value) : String(value));

function Axes({ frame }: { frame: Frame }) {
    const steps = ([low, high]: readonly [number, number]) =>
        Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
    return (
        <g class="axes">
            {steps(frame.intensity).map((value) => (
                <g key={value}>
                    <line
                        x1={x(frame, value)}
                        x2={x(frame, value)}
                        y1={frame.top}
                        y2={frame.bottom}
                    />
                    <text x={x(frame, value)} y={frame.bottom + 16} text-anchor="middle">
                        {sayPower(value)}
                    </text>
                </g>
            ))}
            {steps(frame.speed).map((value) => (
                <g key={value}>
                    <line
                        x1={frame.left}
                        x2={frame.right}
                        y1={y(frame, value)}
                        y2={y(frame, value)}
                    />
                    <text x={frame.left - 6} y={y(frame, value) + 4} text-anchor="end">
                        {sayPower(value)}
                    </text>
                </g>
            ))}
            <text x={(frame.left + frame.right) / 2} y={frame.bottom + 34} text-anchor="middle">
                operations per byte
            </text>
            <text x={frame.left + 6} y={frame.top + 12}>
                GFLOP/s
            </text>
        </g>
    );
}

/** A bandwidth rises to the highest compute roof; a compute roof begins where memory allows it. */
function RoofLine(props: { frame: Frame; roof: Roof; roofs: readonly Roof[] }) {
    const { frame, roof, roofs } = props;
    const rates = (kind: Roof["kind"]) =>
        roofs.filter((other) => other.kind === kind).map((other) => other.rate);
    if (roof.kind === "compute") {
        const from =
            roof.rate / Math.max(...rates("bandwidth"), roof.rate / 10 ** frame.intensity[1]);
        const height = y(frame, roof.rate);
        return (
            <g class="roof">
                <line x1={x(frame, from)} x2={frame.right} y1={height} y2={height} />
                <text x={frame.right - 4} y={height - 4} text-anchor="end">
                    {show(roof.name)} {formatNumber(roof.rate)} GFLOP/s
                </text>
            </g>
        );
    }
    const ends = bandLine(frame, roof.rate, Math.max(...rates("compute"), 0) || Infinity);
    if (ends === null) return null;
    const [from, to] = ends;
    const [x1, y1, x2, y2] = [
        x(frame, from),
        y(frame, from * roof.rate),
        x(frame, to),
        y(frame, to * roof.rate),
    ];
    const slope = (y2 - y1) / (x2 - x1);
    const angle = (Math.atan(slope) * 180) / Math.PI;
    /* Names of near roofs stand side by side. */
    const along = 128 * rates("bandwidth").filter((rate) => rate > roof.rate).length;
    return (
        <g class="roof">
            <line x1={x1} y1={y1} x2={x2} y2={y2} />
            <text
                transform={`translate(${x1 + 8 + along} ${y1 + along * slope - 5}) rotate(${angle})`}
            >
                {show(roof.name)} {formatNumber(roof.rate)} GB/s
            </text>
        </g>
    );
}

/** A rate that a coarse clock leaves open is a line; without an end, it goes to the top. */
function Point(props: {
    frame: Frame;
    work: Work;
    isChosen: boolean;
    isDim: boolean;
    radius: number;
    choose: (id: number) => void;
}) {
    const { frame, work } = props;
    const at = x(frame, work.intensity ?? 1);
    const low = y(frame, work.flopRate.lower);
    const high = Number.isFinite(work.flopRate.upper) ? y(frame, work.flopRate.upper) : frame.top;
    return (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the table has the same rows and keys
        <g
            class={`point${props.isChosen ? " chosen" : ""}${props.isDim ? " dim" : ""}`}
            data-kind={work.kind}
            onClick={() => props.choose(work.id)}
        >
            <title>{sayWork(work)}</title>
            {low - high > 1 && <line x1={at} x2={at} y1={low} y2={high} />}
            <circle cx={at} cy={low} r={props.radius + (props.isChosen ? 2 : 0)} />
        </g>
    );
}

/** Of the other trace: an open diamond. A choice goes to that trace. */
function OtherPoint(props: {
    frame: Frame;
    work: Work;
    side: string;
    isChosen: boolean;
    radius: number;
    choose: (id: number) => void;
}) {
    const { frame, work, radius, side } = props;
    const [at, height] = [x(frame, work.intensity ?? 1), y(frame, work.flopRate.lower)];
    return (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the table of that trace has the same rows
        <g
            class={`other-point${props.isChosen ? " chosen" : ""}`}
            data-kind={work.kind}
            onClick={() => props.choose(work.id)}
        >
            <title>{`${side}: ${sayWork(work)}`}</title>
            <path
                d={`M${at},${height - radius} l${radius},${radius} l${-radius},${radius} l${-radius},${-radius} z`}
            />
        </g>
    );
}

const sayRate = (rate: Range): string =>
    Number.isFinite(rate.upper)
        ? joinBounds(formatNumber(rate.lower), formatNumber(rate.upper))
        : `>${formatNumber(rate.lower)}`;

function sayWork(work: Work): string {
    const verdict = work.verdict === null ? "" : `, ${work.verdict}`;
    return (
        `${showName(work.name, 60)}: ${sayTime(work.time, "ns")}, ` +
        `${sayRate(work.flopRate)} GFLOP/s${verdict}`
    );
}

export { sayRate };
