/** Takes sections out of the page: base64 and gzip of `<script type="application/x-etscope">`. */
import { DocumentError } from "./bytes";
import type { SectionSource } from "./document";

export const pageSections: SectionSource = async (id) => {
    const element = document.getElementById(id);
    if (element === null) return null;
    if (typeof DecompressionStream === "undefined") {
        throw new DocumentError(
            "this browser cannot unpack the report: open it in Chrome 80, Firefox 113, Safari 16.4 or newer",
        );
    }
    const packed = fromBase64(element.textContent ?? "", id);
    element.remove(); /* its text is no longer needed */
    try {
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new DocumentError(`the section ${id} is damaged: copy or write the report again`);
    }
};

function fromBase64(text: string, id: string): Uint8Array<ArrayBuffer> {
    try {
        const { fromBase64 } = Uint8Array as {
            fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
        };
        if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, text);
        const binary = atob(text);
        const bytes = new Uint8Array(binary.length);
        for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
        return bytes;
    } catch {
        throw new DocumentError(`the section ${id} is damaged: copy or write the report again`);
    }
}

/** Resolves when the parser has seen the whole file, and so all sections. */
export function whenParsed(): Promise<void> {
    if (document.readyState !== "loading") return Promise.resolve();
    return new Promise((resolve) => {
        document.addEventListener("DOMContentLoaded", () => resolve(), { once: true });
    });
}
