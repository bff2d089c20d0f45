// Of both bundles: `import text from "worker:./name.worker"` gives a bundled worker as a string (see
// src/parts/worker.ts).
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const here = dirname(fileURLToPath(import.meta.url));

export const common = {
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    legalComments: "none",
    target: ["chrome80", "firefox113", "safari16.4"],
    absWorkingDir: here,
};

export const workers = {
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
