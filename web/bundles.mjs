// What both bundles share. `import text from "worker:./name.worker"` gives a bundled worker as a string (see
// src/parts/worker.ts).
import { readFileSync } from "node:fs";
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

/** The licences of what is bundled, as they want to be kept. */
export function licences(title, packages) {
    const texts = packages.map((name) => {
        const folder = join(here, "node_modules", name);
        const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const text = readFileSync(join(folder, "LICENSE"), "utf8").trim().replaceAll("*/", "* /");
        return `${name} ${version}\n\n${text}`;
    });
    return `/*! ${title}. Contains:\n\n${texts.join("\n\n")}\n*/`;
}
