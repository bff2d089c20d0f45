/** Colours of tensors: by the module that makes them, or by their kind. */
import { listOf } from "../../state/joins";
import { commonModule as commonOf } from "../../state/module_tree";
import type { Page } from "../../state/page";
import type { Plan, Tensor } from "./plan";

export interface Group {
    title: string;
    /** Name of a colour of the style sheet. */
    colour: string;
}

const COLOURS = ["delegate", "portable", "bar-5", "other", "bar-6", "bar-7", "bar-8", "mixed"];
const REST = "runtime";
const DEEPEST = 6;

/** Operators of a plan's method by instruction: those that stand for the instruction itself. */
export function operatorsByInstruction(page: Page, plan: Plan): Map<number, number> {
    const { operators } = page;
    const found = new Map<number, number>();
    const own = operators.blocks.filter(
        (block) => block.name === "Execute" && listOf(block.method).includes(plan.method),
    );
    own.sort((a, b) => Number(b.id === page.block?.id) - Number(a.id === page.block?.id));
    for (const block of own) {
        for (const id of operators.order.get(block.id) ?? []) {
            const instruction = operators.instruction(id);
            if (instruction === null || operators.chain(id) !== 0) continue;
            if (!found.has(instruction)) found.set(instruction, id);
        }
    }
    return found;
}

/** The group of each tensor, and all groups in the order of their bytes. */
export function groupTensors(
    plan: Plan,
    by: string,
    moduleOf: (tensor: Tensor) => string | null,
): { of: Map<number, Group>; all: Group[] } {
    const name = by === "module" ? moduleNames(plan, moduleOf) : (tensor: Tensor) => tensor.kind;
    const bytes = new Map<string, number>();
    for (const tensor of plan.tensors) {
        const key = name(tensor);
        if (key !== null) bytes.set(key, (bytes.get(key) ?? 0) + tensor.bytes);
    }
    const order = [...bytes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const groups = new Map<string, Group>();
    order.slice(0, COLOURS.length).forEach(([title], i) => {
        groups.set(title, { title, colour: COLOURS[i] as string });
    });
    const rest: Group = {
        title: order.length > COLOURS.length ? "others" : "no module",
        colour: REST,
    };
    const of = new Map<number, Group>();
    let hasRest = false;
    for (const tensor of plan.tensors) {
        const group = groups.get(name(tensor) ?? "") ?? rest;
        hasRest ||= group === rest;
        of.set(tensor.value, group);
    }
    return { of, all: [...groups.values(), ...(hasRest ? [rest] : [])] };
}

/** Cuts module paths to the depth that tells most apart with one colour for each. */
function moduleNames(plan: Plan, moduleOf: (tensor: Tensor) => string | null) {
    const cutTo = (depth: number) => (tensor: Tensor) => {
        const module = moduleOf(tensor);
        return module === null ? null : module.split(".").slice(0, depth).join(".");
    };
    let best = cutTo(1);
    for (let depth = 2; depth <= DEEPEST; depth++) {
        const names = new Set(plan.tensors.map(cutTo(depth)));
        if (names.size > COLOURS.length + 1) break;
        best = cutTo(depth);
    }
    return best;
}

/** What all modules of "a.b.c, a.b.d" are in: "a.b"; several that share nothing: the model. */
export function commonModule(modules: string | null): string | null {
    const paths = listOf(modules);
    return paths.length === 0 ? null : commonOf(paths);
}
