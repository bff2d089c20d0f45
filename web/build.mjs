// Bundles the page: `node build.mjs [FOLDER]` writes report.js and report.css to FOLDER, by default
// to where etscope takes them from. The same sources give the same bytes.
//
// `import text from "worker:./name.worker"` gives a bundled worker as a string (see parts/worker.ts).
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "../src/output/page/assets"));

const common = {
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    legalComments: "none",
    target: ["chrome80", "firefox113", "safari16.4"],
    absWorkingDir: here,
};

const workers = {
    name: "workers",
    setup({ onResolve, onLoad }) {
        onResolve({ filter: /^worker:/ }, ({ path, resolveDir }) => ({
            path: join(resolveDir, `${path.slice("worker:".length)}.ts`),
            namespace: "worker",
        }));
        onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
            const result = await build({
                ...common,
                entryPoints: [path],
                format: "iife",
                metafile: true,
            });
            const watchFiles = Object.keys(result.metafile.inputs).map((name) => join(here, name));
            return { contents: result.outputFiles[0].text, loader: "text", watchFiles };
        });
    },
};

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
