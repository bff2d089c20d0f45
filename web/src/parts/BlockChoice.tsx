import type { Block } from "../state/operators";
import { type Page, usePage } from "../state/page";
import { nameOfTrace } from "../state/traces";
import { plural } from "../text/format";
import { show } from "../text/show";

/** Which runs a view is about, where there are several kinds: traces, methods, load and run. */
export function BlockChoice() {
    const page = usePage();
    const { blocks } = page.operators;
    const shown = page.block;
    if (blocks.length < 2 || shown === null) return null;
    const choose = (block: number) => page.store.set({ block: String(block), sel: null });
    const traces = [...new Set(blocks.map((block) => block.trace))];
    return (
        <>
            {traces.length > 1 && (
                <label class="block-choice">
                    Trace{" "}
                    <select
                        value={String(shown.trace)}
                        onChange={(event) => {
                            const block = likeIn(page, Number(event.currentTarget.value));
                            if (block !== undefined) choose(block);
                        }}
                    >
                        {traces.map((trace) => (
                            <option key={trace} value={String(trace)}>
                                {show(nameOfTrace(page.document, trace))}
                            </option>
                        ))}
                    </select>
                </label>
            )}
            <label class="block-choice">
                Runs{" "}
                <select
                    value={String(shown.id)}
                    onChange={(event) => choose(Number(event.currentTarget.value))}
                >
                    {blocks
                        .filter((block) => block.trace === shown.trace)
                        .map((block) => (
                            <option key={block.id} value={String(block.id)}>
                                {show(block.title)} · {plural(block.runs, "run")}
                                {isWithout(page, block) && " without operators"}
                            </option>
                        ))}
                </select>
            </label>
        </>
    );
}

/** Whether a tracer recorded no operators in these runs. */
const isWithout = (page: Page, block: Block): boolean =>
    block.name === "Execute" && !page.operators.hasOperators(block);

/** The block of another trace that is like the one shown: that of the same name and method. */
function likeIn(page: Page, trace: number): number | undefined {
    const candidates = page.operators.blocks.filter((block) => block.trace === trace);
    const same = candidates.find(
        (block) => block.name === page.block?.name && block.method === page.block.method,
    );
    const run = candidates.find((block) => block.name === page.block?.name);
    return (same ?? run ?? candidates[0])?.id;
}
