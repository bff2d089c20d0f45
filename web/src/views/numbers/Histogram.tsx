/** How the numbers of a value are distributed, on the device and in the reference. */
import { formatCount, formatNumber } from "../../text/format";
import type { Bin } from "./pictures";

const [WIDTH, HEIGHT, TOP] = [300, 116, 4];

export function Histogram({ bins }: { bins: readonly Bin[] }) {
    const most = bins.reduce((most, bin) => Math.max(most, bin.device, bin.reference), 0);
    const [first, last] = [bins[0], bins[bins.length - 1]];
    if (first === undefined || last === undefined || most === 0) return null;
    const step = WIDTH / bins.length;
    const y = (count: number) => HEIGHT - (count / most) * (HEIGHT - TOP);
    const outline = bins.flatMap(({ reference }, i) => [
        `${(i * step).toFixed(1)},${y(reference).toFixed(1)}`,
        `${((i + 1) * step).toFixed(1)},${y(reference).toFixed(1)}`,
    ]);
    const said =
        `numbers from ${formatNumber(first.low)} to ${formatNumber(last.high)} in ` +
        `${bins.length} bins, at most ${formatCount(most)} in one`;
    return (
        <figure class="histogram">
            <figcaption>
                <span class="device-key" /> device, <span class="reference-key">reference</span>
            </figcaption>
            <svg
                viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={said}
            >
                {bins.map((bin, i) => (
                    <rect
                        key={bin.low}
                        class="device"
                        x={i * step}
                        width={Math.max(1, step - 1)}
                        y={y(bin.device)}
                        height={HEIGHT - y(bin.device)}
                    >
                        <title>{sayBin(bin)}</title>
                    </rect>
                ))}
                <polyline
                    class="reference"
                    points={`0,${HEIGHT} ${outline.join(" ")} ${WIDTH},${HEIGHT}`}
                />
            </svg>
            <div class="ends">
                <span>{formatNumber(first.low)}</span>
                <span>{formatNumber(last.high)}</span>
            </div>
            <p class="muted cell-said">at most {formatCount(most)} in a bin</p>
        </figure>
    );
}

const sayBin = (bin: Bin): string =>
    `${formatNumber(bin.low)} to ${formatNumber(bin.high)}: device ${formatCount(bin.device)}, ` +
    `reference ${formatCount(bin.reference)}`;
