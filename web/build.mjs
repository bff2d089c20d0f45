// Bundles the page: `node build.mjs [FOLDER]` writes report.js and report.css to FOLDER, by default
// to where etscope takes them from. The same sources give the same bytes.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { common, here, workers } from "./workers.mjs";

const target = resolve(process.argv[2] ?? join(here, "../src/output/page/assets"));

const PACKAGES = ["preact", "uplot"];

/** The licences of what is bundled, as they want to be kept. */
function licences() {
    const texts = PACKAGES.map((name) => {
        const folder = join(here, "node_modules", name);
        const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const text = readFileSync(join(folder, "LICENSE"), "utf8").trim().replaceAll("*/", "* /");
        return `${name} ${version}\n\n${text}`;
    });
    return `/*! etscope's report. Contains:\n\n${texts.join("\n\n")}\n*/`;
}

const result = await build({
    ...common,
    entryPoints: [join(here, "src/main.tsx")],
    outfile: join(target, "report.js"),
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    banner: { js: licences() },
    plugins: [workers],
});
/** The script beside it in the page of a stream that is followed. */
const live = await build({
    ...common,
    entryPoints: [join(here, "src/live.ts")],
    outfile: join(target, "live.js"),
    format: "iife",
});
for (const { path, text } of [...result.outputFiles, ...live.outputFiles]) {
    // What stands in a script element must not end it.
    if (/<\/(script|style)|<!--/i.test(text))
        throw new Error(`${path} holds the end of an element`);
    writeFileSync(path, text);
}
