/** Layouts, made one after the other in a worker; without one, here. */
import { type Placement, type Plan, placePlan } from "./layout/layout";
import type { Order } from "./layout/order";

/** What it needs of a worker. */
export interface LayoutWorker {
    onmessage: ((event: MessageEvent<Placement>) => void) | null;
    onerror: ((event: ErrorEvent) => void) | null;
    postMessage(plan: Plan): void;
    terminate(): void;
}

export class Layouts {
    private readonly orders = new Map<string, Order>();
    private worker: LayoutWorker | null;
    private last: Promise<unknown> = Promise.resolve();

    constructor(start: () => LayoutWorker) {
        try {
            this.worker = start();
        } catch {
            this.worker = null; /* a browser that starts none from this page */
        }
    }

    place(plan: Plan): Promise<Placement> {
        const work = this.last.then(() => this.run(plan));
        this.last = work;
        return work;
    }

    close(): void {
        this.worker?.terminate();
        this.worker = null;
    }

    private run(plan: Plan): Promise<Placement> {
        return new Promise((resolve) => {
            const { worker } = this;
            const here = () => resolve(placePlan(plan, this.orders));
            if (worker === null) return here();
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = (event) => {
                event.preventDefault?.();
                this.close();
                here();
            };
            worker.postMessage(plan);
        });
    }
}
