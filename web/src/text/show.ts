/** Makes texts of files safe to show: nothing invisible, nothing that reorders, nothing endless. */

const LONGEST = 200;

/* C0, C1, DEL, soft hyphen, zero width, bidirectional controls and isolates, BOM, line separators */
const HIDDEN =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

function escapeCharacter(character: string): string {
    const code = character.charCodeAt(0);
    return code < 256
        ? `\\x${code.toString(16).padStart(2, "0")}`
        : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** With control and bidirectional characters as visible escapes. */
export function show(text: string): string {
    return text.replace(HIDDEN, escapeCharacter);
}

/** Code of several lines: tabs and line ends stay. */
export function showCode(text: string): string {
    return text.replace(HIDDEN, (character) =>
        character === "\t" || character === "\n" ? character : escapeCharacter(character),
    );
}

/** Cut in the middle, where names differ least. */
export function cut(text: string, longest = LONGEST): string {
    const characters = text.length > longest ? [...text] : [];
    if (characters.length <= longest) return text;
    const tail = Math.floor((longest - 1) / 3);
    const head = longest - 1 - tail;
    return `${characters.slice(0, head).join("")}…${characters.slice(-tail).join("")}`;
}

/** A name in little space: visible and cut. */
export const showName = (text: string, longest = LONGEST): string => cut(show(text), longest);

/** The last part of a path with its folder where that fits: "…/mobile_cnn.py:21". */
export function shortPath(path: string): string {
    const at = path.lastIndexOf("/");
    return at < 0 ? path : path.slice(at + 1);
}
