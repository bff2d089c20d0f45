/** What every view receives: the document, its joins, and the state with its shorthands. */
import { createContext } from "preact";
import { useContext, useEffect, useMemo, useReducer } from "preact/hooks";
import type { ReportDocument } from "../document/document";
import type { EventMatrix } from "../document/events";
import { type Predicate, parseFilter } from "./filter";
import { Joins } from "./joins";
import { type Block, Operators } from "./operators";
import { parseSelection, type Selection, writeSelection } from "./selection";
import type { Patch, Store } from "./store";

/** Tables that the joins need: they are loaded before any view is shown. */
export const JOIN_TABLES = [
    "traces",
    "blocks",
    "runs",
    "operators",
    "operator_nodes",
    "nodes",
    "stacks",
] as const;

export class Page {
    readonly operators: Operators;
    readonly joins: Joins;

    constructor(
        readonly document: ReportDocument,
        readonly store: Store,
        /** Tells a screen reader what happened. */
        readonly announce: (text: string) => void,
    ) {
        this.operators = new Operators(document);
        this.joins = new Joins(document, this.operators);
    }

    get selection(): Selection | null {
        const selection = parseSelection(this.store.get("sel"));
        if (selection?.kind === "operators") {
            const shown = selection.ids.map((id) => this.operators.shown(id));
            const ids = shown.filter((id): id is number => id !== null);
            return ids.length === 0 ? null : { kind: "operators", ids };
        }
        if (selection?.kind !== "operator") return selection;
        const id = this.operators.shown(selection.id);
        return id === null ? null : { kind: "operator", id };
    }

    /** Selects; with `view`, there. The same thing again stays selected. */
    select(selection: Selection | null, view?: string, isWalk = false): void {
        const patch: Patch = { sel: writeSelection(selection) };
        const id =
            selection?.kind === "operators"
                ? selection.ids[0]
                : selection?.kind === "operator"
                  ? selection.id
                  : undefined;
        if (id !== undefined) {
            const block = this.operators.block(id);
            if (block !== null && block !== this.block?.id) patch.block = String(block);
        }
        if (selection?.kind === "run") {
            patch.run = String(selection.id);
            const block = this.document.table("runs").number("block")(selection.id);
            if (block !== null && block !== this.block?.id) patch.block = String(block);
        }
        this.store.set(patch, view ?? this.store.view, isWalk);
    }

    /** The block that is shown: the chosen one, or of those that execute, and have operators if any
     * has, the longest. */
    get block(): Block | null {
        const chosen = this.store.get("block");
        const blocks = this.operators.blocks;
        if (chosen !== "" && blocks[Number(chosen)] !== undefined)
            return blocks[Number(chosen)] ?? null;
        const total = (block: Block) =>
            block.whole === null ? 0 : (this.operators.time(block.whole, "total")?.lower ?? 0);
        const executions = blocks.filter((block) => block.name === "Execute" && block.trace === 0);
        const recorded = executions.filter((block) => this.operators.hasOperators(block));
        const candidates = [recorded, executions].find((those) => those.length > 0) ?? blocks;
        return candidates.reduce<Block | null>(
            (best, block) => (best === null || total(block) > total(best) ? block : best),
            null,
        );
    }

    /** Ids of the runs of the block whose events a matrix has. */
    runsOfMatrix(matrix: EventMatrix): number[] {
        const runs = this.runsOfBlock;
        return matrix.kept.map((number) => runs[number] ?? -1);
    }

    /** Ids of the runs of the block. */
    get runsOfBlock(): number[] {
        const runs = this.document.table("runs");
        const block = runs.number("block");
        return Array.from({ length: runs.rows }, (_, id) => id).filter(
            (id) => block(id) === this.block?.id,
        );
    }

    /** The run that single runs are shown of, or null. */
    get run(): number | null {
        const text = this.store.get("run");
        return /^\d{1,15}$/.test(text) ? Number(text) : null;
    }

    setRun(id: number | null): void {
        this.store.set({ run: id === null ? null : String(id) });
    }

    /** Whether operators of the block's runs are recorded. */
    get hasOperators(): boolean {
        return this.block !== null && this.operators.hasOperators(this.block);
    }

    /** Shown operators of the block, in order of execution. */
    get blockOperators(): readonly number[] {
        const block = this.block;
        return block === null ? [] : (this.operators.order.get(block.id) ?? []);
    }
}

export const PageContext = createContext<Page | null>(null);

/** The page; the component is rendered anew whenever the state changes. */
export function usePage(): Page {
    const page = useContext(PageContext);
    if (page === null) throw new Error("no page around this component");
    const [, rerender] = useReducer((n: number) => n + 1, 0);
    useEffect(() => page.store.subscribe(() => rerender(undefined)), [page]);
    return page;
}

/** Decodes tables; false until they are there. */
export function useLoaded(names: readonly string[]): boolean {
    const page = usePage();
    const [, rerender] = useReducer((n: number) => n + 1, 0);
    const isLoaded = names.every((name) => page.document.isLoaded(name));
    useEffect(() => {
        const failed = () => undefined; /* the view of the table says so */
        if (!isLoaded) page.document.load(names).then(() => rerender(undefined), failed);
    }, [isLoaded]);
    return isLoaded;
}

/** A parameter of the state with its default, and how to set it. */
export function useParam(name: string, fallback = ""): [string, (value: string | null) => void] {
    const page = usePage();
    return [
        page.store.get(name) || fallback,
        (value) => page.store.set({ [name]: value === fallback ? null : value }),
    ];
}

/**
 * Operators of what is selected, or null; a view dims the others. A single operator dims nothing in
 * a list: there it has its own row.
 */
export function useMembers(): ReadonlySet<number> | null {
    const page = usePage();
    const key = page.store.get("sel");
    return useMemo(() => page.joins.operatorsOf(page.selection), [page, key]);
}

/** The filter box as a test of operators; null: everything passes. */
export function useFilter(): Predicate | null {
    const page = usePage();
    const text = page.store.get("f");
    return useMemo(() => parseFilter(text, page.operators), [page, text]);
}
