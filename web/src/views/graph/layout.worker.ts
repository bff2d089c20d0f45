/** Places the boxes of a graph beside the page. */
import { type Placement, type Plan, placePlan } from "./layout/layout";
import type { Order } from "./layout/order";

const orders = new Map<string, Order>();

addEventListener("message", (event: MessageEvent<Plan>) => {
    const placed: Placement = placePlan(event.data, orders);
    postMessage(placed);
});
