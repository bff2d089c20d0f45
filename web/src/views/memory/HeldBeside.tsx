/** What is in no plan: memory that delegates, the method and the heap take beside it. */
import { RangeBar } from "../../parts/RangeBar";
import type { Page } from "../../state/page";
import { formatBytes, formatCount, largestOf } from "../../text/format";
import { show } from "../../text/show";
import { heldBeside } from "./run_memory";

export function HeldBeside(props: { page: Page; method: string | null; planned: number }) {
    const { page, method, planned } = props;
    const held = heldBeside(page.document, method);
    if (!page.document.has("held_memory")) return <NotCovered page={page} />;
    if (held.length === 0) {
        return <p class="memory-headline muted">Beside it nothing was counted of this method.</p>;
    }
    const most = Math.max(
        planned,
        largestOf(held, ({ bytes }) => bytes ?? 0),
    );
    const rows = [{ id: -1, what: "this plan", phase: null, bytes: planned, notes: [] }, ...held];
    return (
        <ul class="memory-held" aria-label="Held beside the plan, the most of each at once">
            {rows.map(({ id, what, phase, bytes, notes }) => (
                <li key={id} title={[`${formatCount(bytes ?? 0)} B`, ...notes].join(", ")}>
                    <span>
                        {show(what)}
                        {phase !== null && <span class="muted"> at {phase}</span>}
                    </span>
                    <span class="number">{formatBytes(bytes ?? 0)}</span>
                    <RangeBar
                        range={{ lower: bytes ?? 0, upper: bytes ?? 0 }}
                        of={most}
                        kind={phase === null ? "delegate" : phase === "run" ? "portable" : "other"}
                    />
                </li>
            ))}
        </ul>
    );
}

/** Nothing was counted: says what would. */
function NotCovered({ page }: { page: Page }) {
    if (!page.document.has("delegates")) return null;
    const backend = page.document.table("delegates").text("backend");
    const { rows } = page.document.table("delegates");
    const backends = new Set(Array.from({ length: rows }, (_, row) => backend(row) ?? ""));
    if (backends.size === 0) return null;
    return (
        <p class="memory-headline muted">
            Without what {[...backends].map(show).join(" and ")} allocates itself:{" "}
            <code>etscope profile --memory</code> counts it.
        </p>
    );
}
