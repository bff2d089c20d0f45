/** The program of the command line in a worker: one question at a time. */
import script from "worker:./program.worker";
import { startWorker } from "../src/parts/worker";
import { bytesText } from "./texts";

export interface Dropped {
    path: string;
    file: File;
}

export interface Question {
    words: string[];
    files: Dropped[];
    /** A file that the program writes, which is wanted. */
    keep?: string;
}

export interface Answer {
    code: number;
    output: Blob;
    messages: string;
    kept: Blob | undefined;
}

/** WebAssembly addresses 4 GiB. A file is a copy in there, and what is read of it needs room, too. */
const MOST_BYTES = 3 * 2 ** 30;
export const sizeOf = (files: Dropped[]): number =>
    files.reduce((sum, { file }) => sum + file.size, 0);

/** Why these files are more than a page can read; "": they are not. */
export function complainOfSize(files: Dropped[]): string {
    const size = sizeOf(files);
    if (size <= MOST_BYTES) return "";
    return (
        `these files have ${bytesText(size)}; a program in a page has 4 GiB of memory, and reads up to ` +
        `${bytesText(MOST_BYTES)}. The command line reads them: etscope report ${files[0]?.path ?? "FILE"}`
    );
}

const OUT_OF_MEMORY =
    "no memory is left: a page has 4 GiB for a program, less where the browser grants less. Drop fewer " +
    "files, or use the command line: etscope report FILE";

/** What the machine of WebAssembly or the browser says, as a sentence of this page. */
function explain(failure: string): string {
    if (
        /out of memory|could not allocate|allocation (failed|size)|RangeError|NotReadable/i.test(
            failure,
        )
    )
        return OUT_OF_MEMORY;
    return `the program ended by itself: ${failure}. Please report it with the file`;
}

export class Program {
    private worker: Worker | undefined;
    private refuse: ((error: Error) => void) | undefined;
    private bytes: Promise<ArrayBuffer>;
    private last: Promise<unknown> = Promise.resolve();

    constructor(packed: string) {
        this.bytes = unpack(packed);
    }

    private async start(): Promise<Worker> {
        const bytes = await this.bytes;
        if (this.worker === undefined) {
            this.worker = startWorker(script);
            this.worker.postMessage(bytes);
        }
        return this.worker;
    }

    /** Fails with a sentence. Questions are answered one after the other. */
    ask(question: Question): Promise<Answer> {
        const answer = this.last.then(() => this.answer(question));
        this.last = answer.catch(() => undefined);
        return answer;
    }

    private async answer(question: Question): Promise<Answer> {
        const tooMuch = complainOfSize(question.files);
        if (tooMuch !== "") throw new Error(tooMuch);
        const worker = await this.start();
        return new Promise((take, refuse) => {
            this.refuse = refuse;
            worker.onmessage = ({ data }: MessageEvent<Answer | { failure: string }>) => {
                this.refuse = undefined;
                if ("failure" in data) {
                    this.end();
                    refuse(new Error(explain(data.failure)));
                } else take(data);
            };
            worker.onerror = (event) => {
                this.end();
                refuse(new Error(explain(event.message)));
            };
            worker.postMessage(question);
        });
    }

    private end(): void {
        this.worker?.terminate();
        this.worker = undefined;
    }

    cancel(): void {
        this.end();
        this.refuse?.(new Error("cancelled"));
        this.refuse = undefined;
    }
}

/** Base64 of gzip, as the page holds its parts. */
export async function unpack(packed: string): Promise<ArrayBuffer> {
    const stream = new Blob([bytesOf(packed)])
        .stream()
        .pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
}

/** Of base64. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
    const letters = atob(text.trim());
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
}
