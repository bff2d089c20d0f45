/** Layouts of boxes: made one after the other in a worker, each once, in limited time. */
import { type LayoutRequest, type Rows, rowsInOrder } from "./rows";

/** What it needs of a worker. */
export interface LayoutWorker {
    onmessage: ((event: MessageEvent<Rows>) => void) | null;
    onerror: ((event: ErrorEvent) => void) | null;
    postMessage(request: LayoutRequest): void;
    terminate(): void;
}

export interface Layout {
    rows: Rows;
    /** Took too long: rows in order of execution. */
    isFallback: boolean;
}

const LIMIT_MS = 1500;

export class Layouts {
    private readonly known = new Map<string, Promise<Layout>>();
    private readonly done = new Map<string, Layout>();
    private worker: LayoutWorker | null;
    private last: Promise<unknown> = Promise.resolve();

    constructor(
        private readonly start: () => LayoutWorker,
        private readonly limit = LIMIT_MS,
    ) {
        this.worker = start();
    }

    get(box: string): Layout | null {
        return this.done.get(box) ?? null;
    }

    request(box: string, request: LayoutRequest): Promise<Layout> {
        let work = this.known.get(box);
        if (work === undefined) {
            work = this.last.then(async () => {
                const rows = await this.run(request);
                const layout = { rows: rows ?? rowsInOrder(request), isFallback: rows === null };
                this.done.set(box, layout);
                return layout;
            });
            this.known.set(box, work);
            this.last = work;
        }
        return work;
    }

    close(): void {
        this.worker?.terminate();
        this.worker = null;
    }

    /** Null: too slow, or it failed. */
    private run(request: LayoutRequest): Promise<Rows | null> {
        return new Promise((resolve) => {
            const worker = this.worker ?? this.start();
            this.worker = worker;
            const give = (rows: Rows | null) => {
                clearTimeout(timer);
                if (rows === null) this.close();
                resolve(rows);
            };
            const timer = setTimeout(() => give(null), this.limit);
            worker.onmessage = (event) => give(event.data);
            worker.onerror = (event) => {
                event.preventDefault?.();
                give(null);
            };
            worker.postMessage(request);
        });
    }
}
