// Makes the page that reads dropped files: `node app/build.mjs PROGRAM.wasm EXAMPLE_FOLDER PAGE.html`. One
// file, without network: the page's script and style, the program and an example, packed.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { common, here, licences, workers } from "../bundles.mjs";

const [program, folder, target] = process.argv.slice(2);
const EXAMPLE = ["xnnpack.etdump", "xnnpack.etrecord", "xnnpack.pte"];

const { outputFiles } = await build({
    ...common,
    entryPoints: [join(here, "app/main.tsx")],
    outfile: "page.js",
    format: "iife",
    jsx: "automatic",
    jsxImportSource: "preact",
    banner: { js: licences("etscope's page", ["preact"]) },
    plugins: [workers],
});
const notice = readFileSync(join(here, "../NOTICE"), "utf8").replaceAll("--", "- -");
const made = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
const asset = (name) => readFileSync(join(here, "../src/output/page/assets", name), "utf8");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const pack = (bytes) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).toString("base64");
const hold = (id, name, bytes) =>
    `<script type="application/octet-stream" class="${id}" data-name="${name}">${pack(bytes)}</script>`;

const script = made(".js");
const style = made(".css");
for (const text of [script, style]) {
    if (/<\/(script|style)|<!--/i.test(text)) throw new Error("a part holds the end of an element");
}
/* The report in its frame inherits this policy: its own script and style have to be allowed, too. */
const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} ${hash(asset("report.js"))} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)} ${hash(asset("report.css"))}`,
    "img-src data: blob:",
    "worker-src blob:",
    "frame-src blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types etscope",
].join("; ");

writeFileSync(
    target,
    `<!DOCTYPE html>
<!--
${notice}-->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>etscope</title>
<style>${style}</style>
</head>
<body>
<noscript><p>This page needs scripts, which are blocked here: download it, and open it in a browser.</p></noscript>
${hold("program", "etscope.wasm", readFileSync(program))}
${EXAMPLE.map((name) => hold("example", name, readFileSync(join(folder, name)))).join("\n")}
<script>${script}</script>
</body>
</html>
`,
);
