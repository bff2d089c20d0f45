/** The times of the selected operator over the runs: a click on a bar goes to a run of it. */
import { useMemo, useRef } from "preact/hooks";
import { Name } from "../../parts/Name";
import { barKind } from "../../state/filter";
import { usePage } from "../../state/page";
import { largestOf, plural, sayTime } from "../../text/format";
import { show } from "../../text/show";
import { type Bin, binsOf, extremesOf, timesOf } from "./operator_runs";
import type { TimePicture } from "./time_picture";

const MOST_BINS = 48;
const MOST_NAMED = 8;

export function OperatorRuns(props: {
    picture: TimePicture;
    operator: number;
    /** The chosen run as a number of the picture. */
    run: number;
    onRun: (run: number) => void;
}) {
    const { operators, block } = usePage();
    const { picture, operator, run } = props;
    const times = useMemo(() => timesOf(picture, operator), [picture, operator]);
    const bins = useMemo(() => binsOf(times, MOST_BINS), [times]);
    const group = useRef<HTMLDivElement>(null);
    if (times.length < 2) return null;
    const unit = block?.unit ?? "ns";
    const name = operators.name(operator) ?? "";
    const extremes = extremesOf(times.map(({ lower }) => lower));
    const most = largestOf(bins, (bin) => bin?.runs.length ?? 0);
    const numbers = (bin: Bin) => {
        const named = bin.runs.slice(0, MOST_NAMED).map((at) => picture.numbers[at]);
        return `run${bin.runs.length > 1 ? "s" : ""} ${named.join(", ")}${bin.runs.length > MOST_NAMED ? ", …" : ""}`;
    };
    /* From the longest on: what one looks for is the outlier. A further click goes to the next. */
    const goTo = (bin: Bin) => {
        const order = [...bin.runs].sort((a, b) => times[b]!.lower - times[a]!.lower || a - b);
        props.onRun(order[(order.indexOf(run) + 1) % order.length]!);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step === undefined || group.current === null) return;
        const buttons = [...group.current.querySelectorAll("button")];
        const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
        buttons[Math.max(0, Math.min(buttons.length - 1, at + step))]?.focus();
        event.preventDefault();
        event.stopPropagation();
    };
    const current = bins.findIndex((bin) => bin?.runs.includes(run));
    return (
        <section class="operator-runs" aria-label={`Runs of ${show(name)}`}>
            <p>
                <b>
                    <Name text={name} longest={40} />
                </b>{" "}
                in {plural(times.length, "run")}
                {block !== null && times.length < block.runs && " whose events are in the report"}
                {(["shortest", "median", "longest"] as const).map((which) => (
                    <button
                        type="button"
                        class="quiet"
                        key={which}
                        aria-pressed={extremes[which] === run}
                        onClick={() => props.onRun(extremes[which])}
                    >
                        {which} {sayTime(times[extremes[which]]!, unit)}, run{" "}
                        {picture.numbers[extremes[which]]}
                    </button>
                ))}
            </p>
            <div
                class="bins"
                role="group"
                aria-label="Runs by their time"
                data-kind={barKind(operators, operator)}
                ref={group}
                onKeyDown={onKeyDown}
            >
                {bins.map((bin, i) => {
                    if (bin === null) return <span key={i} />;
                    const said = `${sayTime(bin.time, unit)}: ${plural(bin.runs.length, "run")} (${numbers(bin)})`;
                    return (
                        <button
                            type="button"
                            key={i}
                            title={said}
                            aria-label={said}
                            aria-pressed={i === current}
                            tabIndex={i === (current < 0 ? bins.length - 1 : current) ? 0 : -1}
                            onClick={() => goTo(bin)}
                        >
                            <span style={{ height: `${(100 * bin.runs.length) / most}%` }} />
                        </button>
                    );
                })}
            </div>
        </section>
    );
}
