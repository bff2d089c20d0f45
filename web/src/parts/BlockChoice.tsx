import { usePage } from "../state/page";
import { plural } from "../text/format";
import { show } from "../text/show";

/** Which runs a view is about, where there are several kinds: methods, load and run. */
export function BlockChoice() {
    const page = usePage();
    const { blocks } = page.operators;
    if (blocks.length < 2) return null;
    return (
        <label class="block-choice">
            Runs{" "}
            <select
                value={String(page.block?.id ?? 0)}
                onChange={(event) =>
                    page.store.set({ block: event.currentTarget.value, sel: null })
                }
            >
                {blocks.map((block) => (
                    <option key={block.id} value={String(block.id)}>
                        {show(block.title)} · {plural(block.runs, "run")}
                    </option>
                ))}
            </select>
        </label>
    );
}
