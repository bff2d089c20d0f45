/** Runs before and after of the selected operators: two histograms on one scale. */
import type { Difference } from "../../state/differences";
import { usePage } from "../../state/page";
import { largestOf, plural, sayTime, type TimeUnit, formatTime } from "../../text/format";
import { Name } from "../../parts/Name";
import { describe, nameOf, sayInterval } from "./rows";
import { endOfScale, histogram, samplesOf } from "./samples";

const WIDTH = 420;
const HEIGHT = 44;
const BARS = 42;

export function Distributions(props: { line: Difference; unit: TimeUnit }) {
    const page = usePage();
    const { line, unit } = props;
    const events = page.document.events();
    const before = samplesOf(events, page.operators, line.operatorsBefore);
    const after = samplesOf(events, page.operators, line.operatorsAfter);
    const all = [...before, ...after];
    const least = all.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const longest = largestOf(all, (value) => value);
    const most = endOfScale(all);
    const beyond = all.filter((sample) => sample > most).length;
    const { mark, word } = describe(line.verdict);
    return (
        <section class="distributions" aria-label="Runs before and after">
            <h2>
                <Name text={nameOf(line)} longest={60} />
            </h2>
            <p>
                <span class="verdict" data-verdict={line.verdict}>
                    {mark} {word}
                </span>
                {line.reason !== null && `: ${line.reason}`}
            </p>
            {line.interval !== null && (
                <p class="muted">
                    change of the median: {sayInterval(line.interval, unit)} {unit.name} (95 %
                    interval)
                </p>
            )}
            {all.length === 0 ? (
                <p class="muted">The report holds no single runs of it.</p>
            ) : (
                <>
                    <Side title="before" samples={before} from={least} to={most} unit={unit} />
                    <Side title="after" samples={after} from={least} to={most} unit={unit} />
                    <p class="scale muted">
                        <span>{formatTime({ lower: least, upper: least }, unit)}</span>
                        <span>
                            {formatTime({ lower: most, upper: most }, unit)} {unit.name}
                        </span>
                    </p>
                    {beyond > 0 && (
                        <p class="muted">
                            The last bar has {plural(beyond, "longer run")}, at most{" "}
                            {formatTime({ lower: longest, upper: longest }, unit)} {unit.name}.
                        </p>
                    )}
                </>
            )}
        </section>
    );
}

function Side(props: {
    title: string;
    samples: number[];
    from: number;
    to: number;
    unit: TimeUnit;
}) {
    const { title, samples, from, to, unit } = props;
    const bars = histogram(samples, from, to, BARS);
    const most = largestOf(bars, (count) => count) || 1;
    const width = WIDTH / BARS;
    const middle = [...samples].sort((a, b) => a - b)[Math.floor((samples.length - 1) / 2)];
    const label =
        middle === undefined
            ? `${title}: no runs`
            : `${title}: ${plural(samples.length, "run")}, median near ${sayTime({ lower: middle, upper: middle }, unit.name)}`;
    return (
        <div class="side" data-side={title}>
            <span class="muted">
                {title}, {plural(samples.length, "run")}
            </span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
                <title>{label}</title>
                <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
                {bars.map((count, i) => {
                    const height = (count / most) * (HEIGHT - 2);
                    return (
                        count > 0 && (
                            <rect
                                key={i * width}
                                x={i * width}
                                y={HEIGHT - height}
                                width={width - 1}
                                height={height}
                            />
                        )
                    );
                })}
            </svg>
        </div>
    );
}
