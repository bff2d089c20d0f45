/** Which runs stand one below the other: in the address by their numbers, otherwise notable ones. */
import type { Page } from "../../state/page";
import { MOST_ALIGNED, notableRuns } from "./aligned_picture";
import type { TimePicture } from "./time_picture";

/** Numbers of the picture. */
export function alignedRuns(page: Page, picture: TimePicture): number[] {
    const text = page.store.get("runs");
    if (!/^\d{1,15}(,\d{1,15}){0,63}$/.test(text)) return notableRuns(picture);
    const wanted = new Set(text.split(",").map(Number));
    const found = picture.numbers.flatMap((number, run) => (wanted.has(number) ? [run] : []));
    return found.length === 0 ? notableRuns(picture) : found.slice(0, MOST_ALIGNED);
}

/** At least one stays; more than there is room for are not taken. */
export function setAligned(page: Page, picture: TimePicture, runs: readonly number[]): void {
    if (runs.length === 0 || runs.length > MOST_ALIGNED) return;
    const numbers = [...runs].sort((a, b) => a - b).map((run) => picture.numbers[run]);
    const isDefault =
        numbers.join() ===
        [...notableRuns(picture)]
            .sort((a, b) => a - b)
            .map((run) => picture.numbers[run])
            .join();
    page.store.set({ runs: isDefault ? null : numbers.join(",") });
}
