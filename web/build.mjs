// Bundles the page: `node build.mjs [FOLDER]` writes report.js and report.css to FOLDER, by default
// to where etscope takes them from. The same sources give the same bytes.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { common, here, licences, workers } from "./bundles.mjs";

const target = resolve(process.argv[2] ?? join(here, "../src/output/page/assets"));

const PACKAGES = ["preact", "uplot"];

const result = await build({
    ...common,
    entryPoints: [join(here, "src/main.tsx")],
    outfile: join(target, "report.js"),
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    banner: { js: licences("etscope's report", PACKAGES) },
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
