/** Runs the program beside the page, which stays alive, and can end this worker at any moment. */
import { Bytes, find, Folder, put, Slices } from "./files";
import type { Answer, Question } from "./program";
import { run } from "./wasi";

let program: Promise<WebAssembly.Module> | undefined;

function ask({ words, files, keep }: Question, module: WebAssembly.Module): Answer {
    const root = new Folder();
    root.entries.set("tmp", new Folder());
    const reader = new FileReaderSync();
    for (const { path, file } of files) {
        const slice = (from: number, to: number) =>
            new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
        put(root, path, new Slices(file.size, slice));
    }
    const { code, output, messages } = run(module, root, ["etscope", ...words]);
    const kept = keep === undefined ? undefined : find(root, keep);
    return {
        code,
        output: new Blob([output as never]),
        messages: new TextDecoder().decode(messages),
        kept: kept instanceof Bytes ? new Blob([kept.all() as never]) : undefined,
    };
}

onmessage = async ({ data }: MessageEvent<Question | ArrayBuffer>) => {
    if (data instanceof ArrayBuffer) {
        program = WebAssembly.compile(data);
        return;
    }
    try {
        if (program === undefined) throw new Error("the program is missing");
        postMessage(ask(data, await program));
    } catch (error) {
        postMessage({ failure: String(error) });
    }
};
