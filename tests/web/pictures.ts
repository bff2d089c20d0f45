/** Makes docs/pictures/report-*.png: `make pictures`. pngquant reduces their colours. */
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { comparedReport, data, etscope, filesOf, launch, open, reportOf } from "./reports";

const { PICTURES = "" } = process.env;
const MOST_BYTES = 60_000;
const plain = () => reportOf("gpt_xnnpack");
const measured = () =>
    reportOf("gpt_xnnpack", [...filesOf("gpt_xnnpack"), "--machine", data("machines/epyc.json")]);
const compared = () => comparedReport("gpt_xnnpack", "gpt_portable");
/** An int8 model beside its float original. */
const captured = () =>
    reportOf("quantized", [
        data("quantized/int8.etdp"),
        ...["--etrecord", data("quantized/int8.etrecord")],
        ...["--program", data("quantized/int8.pte")],
        ...["--debug-buffer", data("quantized/int8.bin")],
        ...["--reference-etrecord", data("quantized/float.etrecord")],
    ]);

/** A language model that decodes as many tokens as its context has room for. */
const generated = (): string => {
    const folder = join(process.env.REPORTS ?? "", "generation");
    const of = (name: string): string => join(folder, name);
    mkdirSync(folder, { recursive: true });
    const names = ["4bit.pte", "4bit.etrecord"];
    execFileSync("tar", ["-xJf", data("quality/models.tar.xz"), "-C", folder, ...names]);
    etscope("generate", of("4bit.pte"), "--prompt", "4", "--new", "28", "-o", of("4bit.etdp"));
    const files = ["--program", of("4bit.pte"), "--etrecord", of("4bit.etrecord")];
    return reportOf("generation", [of("4bit.etdp"), ...files]);
};

/** By view: its address, a key that is pressed, and the report, by default that of the GPT. */
const SHOTS: readonly {
    view: string;
    hash: string;
    height: number;
    key?: string;
    report?: () => string;
}[] = [
    { view: "summary", hash: "#1/summary", height: 740 },
    { view: "operators", hash: "#1/operators?sort=-share", height: 560, key: "j" },
    { view: "timeline", hash: "#1/timeline", height: 480 },
    { view: "graph", hash: "#1/graph?sel=module:blocks.0", height: 640 },
    { view: "memory", hash: "#1/memory", height: 640 },
    { view: "cost", hash: "#1/cost", height: 600, key: "j", report: measured },
    { view: "numbers", hash: "#1/numbers", height: 560, report: captured },
    { view: "compare", hash: "#1/compare", height: 640, key: "j", report: compared },
    { view: "tokens", hash: "#1/runs", height: 640, report: generated },
];

async function main(): Promise<void> {
    mkdirSync(PICTURES, { recursive: true });
    const browser = await launch();
    for (const { view, hash, height, key, report = plain } of SHOTS) {
        const { page, faults } = await open(
            browser,
            report(),
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
