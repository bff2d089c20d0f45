// Bundles tests: `node bundle.mjs FOLDER TEST.ts...` writes FOLDER/TEST.mjs for `node --test`.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../web");
const { build } = createRequire(join(web, "package.json"))("esbuild");

const [folder, ...tests] = process.argv.slice(2);
await build({
    entryPoints: tests,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    jsx: "automatic",
    jsxImportSource: "preact",
    nodePaths: [join(web, "node_modules")],
    // What is loaded by itself: it finds its own files beside it.
    external: ["playwright-core", "axe-core"],
});
