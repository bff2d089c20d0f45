/** Makes docs/pictures/report-*.png: `make pictures`. pngquant reduces their colours. */
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { launch, open, reportOf } from "./reports";

const { PICTURES = "" } = process.env;
const MOST_BYTES = 60_000;
/** By view: its address, and a key that is pressed. */
const SHOTS: readonly { view: string; hash: string; height: number; key?: string }[] = [
    { view: "summary", hash: "#1/summary", height: 740 },
    { view: "operators", hash: "#1/operators?sort=-share", height: 560, key: "j" },
    { view: "timeline", hash: "#1/timeline", height: 480 },
    { view: "graph", hash: "#1/graph?sel=module:blocks.0", height: 640 },
    { view: "memory", hash: "#1/memory", height: 640 },
];

async function main(): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    const browser = await launch();
    const report = reportOf("gpt_xnnpack");
    for (const { view, hash, height, key } of SHOTS) {
        const { page, faults } = await open(
            browser,
            report,
            `${hash}${hash.includes("?") ? "&" : "?"}theme=light`,
        );
        if (faults.length > 0) throw new Error(faults.join("\n"));
        await page.setViewportSize({ width: 1280, height });
        for (let i = 0; key !== undefined && i < 2; i++) await page.keyboard.press(key);
        await page.waitForTimeout(1000); /* layouts, glides */
        const path = join(PICTURES, `report-${view}.png`);
        await page.screenshot({ path });
        execFileSync("pngquant", ["--force", "--strip", "--output", path, "64", path]);
        const { size } = statSync(path);
        console.log(`${path}: ${size} bytes`);
        if (size > MOST_BYTES) throw new Error(`${path} takes more than ${MOST_BYTES} bytes`);
        await page.close();
    }
    await browser.close();
}

await main();
