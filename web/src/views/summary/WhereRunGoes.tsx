/** Parts of a run as bars: certain and possible. */
import { RangeBar } from "../../parts/RangeBar";
import { backendOf } from "../../state/filter";
import { type Page, usePage } from "../../state/page";
import { formatShare, type Range } from "../../text/format";
import { show } from "../../text/show";

interface Part {
    title: string;
    kind: string;
    share: Range;
}

export function WhereRunGoes() {
    const page = usePage();
    const parts = partsOf(page);
    if (parts.length === 0) return <p class="muted">No run is in the trace.</p>;
    return (
        <table class="where">
            <tbody>
                {parts.map((part) => (
                    <tr key={part.title}>
                        <th scope="row">{show(part.title)}</th>
                        <td class="where-bar">
                            <RangeBar range={part.share} of={1} kind={part.kind} />
                        </td>
                        <td class="number">{formatShare(part.share)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

/** Time of the run by where it is spent; from the mids of the operators directly inside. */
function partsOf(page: Page): Part[] {
    const { operators, block } = page;
    if (block?.whole == null) return [];
    const whole = operators.time(block.whole, "mid")?.lower ?? 0;
    if (whole <= 0) return [];
    const sums = new Map<string, { kind: string; lower: number; upper: number }>();
    const add = (title: string, kind: string, lower: number, upper: number) => {
        const sum = sums.get(title) ?? { kind, lower: 0, upper: 0 };
        sum.lower += lower;
        sum.upper += upper;
        sums.set(title, sum);
    };
    let inside = 0;
    for (const id of operators.children.get(block.whole) ?? []) {
        const time = operators.time(id, "mid");
        if (time === null) continue;
        inside += time.lower;
        const backend = backendOf(operators, id);
        if (operators.backend(id) === null) {
            add(backend === "portable" ? "kernels" : "runtime", backend, time.lower, time.lower);
            continue;
        }
        let known = 0;
        let most = 0;
        for (const child of operators.children.get(id) ?? []) {
            const part = operators.time(child, "mid");
            known += part?.lower ?? 0;
            most += part?.upper ?? 0;
        }
        known = Math.min(known, time.lower);
        add(`${backend}, reported`, "delegate", known, Math.min(most, time.lower));
        add(`${backend}, other`, "other", Math.max(0, time.lower - most), time.lower - known);
    }
    add("between operators", "runtime", Math.max(0, whole - inside), Math.max(0, whole - inside));
    return [...sums]
        .map(([title, { kind, lower, upper }]) => ({
            title,
            kind,
            share: { lower: lower / whole, upper: upper / whole },
        }))
        .sort((a, b) => b.share.lower - a.share.lower);
}
