/** Memory: the plan of each arena, and what was counted while the model ran. */
import { Choice } from "../../parts/Choice";
import { useParam, usePage } from "../../state/page";
import type { View } from "../view";
import { PlannedMemory } from "./PlannedMemory";
import { PLAN_TABLES } from "./plan";
import { RunMemory } from "./RunMemory";
import { RUN_TABLES, runMemoryOf } from "./run_memory";
import "./memory.css";

export const memoryView: View = {
    id: "memory",
    title: "Memory",
    takes: ["--program"],
    needs: [],
    loads: [...PLAN_TABLES, ...RUN_TABLES, "delegates"],
    isThere: (document) => ["memory_arenas", ...RUN_TABLES].some((name) => document.has(name)),
    component: Memory,
    shows: ["operator", "node", "module", "line"],
};

function Memory() {
    const page = usePage();
    const [part, setPart] = useParam("memory", "plan");
    const hasPlan = page.document.has("memory_arenas");
    const hasRun = RUN_TABLES.some((name) => page.document.has(name));
    const choice = hasPlan && hasRun && (
        <Choice
            label="Memory"
            options={[
                { value: "plan", title: "planned" },
                { value: "run", title: "at run time" },
            ]}
            value={part}
            onChange={setPart}
        />
    );
    return hasPlan && (part !== "run" || !hasRun) ? (
        <PlannedMemory caption={choice} />
    ) : (
        <RunMemory caption={choice} lists={runMemoryOf(page.document)} />
    );
}
