/**
 * The state of the page as the text behind # of its address:
 *
 *     #1/operators?d=1ca9f2&sel=operator:65&run=4&f=addmm&sort=-share
 *
 * 1 is the version of this form, then the view, then parameters. Nothing of it is ever markup.
 */
export interface PageState {
    view: string;
    /** By name: sel, run, t, by, f, sort, theme, and what single views keep. */
    params: ReadonlyMap<string, string>;
}

const VERSION = "1";

export function writeHash(state: PageState, fingerprint: string): string {
    const parts = fingerprint === "" ? [] : [`d=${fingerprint.slice(0, 6)}`];
    for (const [name, value] of [...state.params].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (value !== "") parts.push(`${encodeURIComponent(name)}=${encode(value)}`);
    }
    return `#${VERSION}/${state.view}${parts.length > 0 ? `?${parts.join("&")}` : ""}`;
}

/** Readable where a fragment allows it. */
function encode(value: string): string {
    return encodeURIComponent(value).replace(/%(3A|2F|2C)/g, decodeURIComponent);
}

export interface ParsedHash {
    state: PageState;
    /** Beginning of the fingerprint of the document that the link was made for, or "". */
    fingerprint: string;
}

/** Null: this is no address of a state. */
export function parseHash(hash: string): ParsedHash | null {
    const match = /^#?1\/([a-z-]*)(?:\?(.*))?$/s.exec(hash);
    if (match === null) return null;
    const params = new Map<string, string>();
    for (const part of (match[2] ?? "").split("&")) {
        const at = part.indexOf("=");
        if (at <= 0) continue;
        const name = decode(part.slice(0, at));
        const value = decode(part.slice(at + 1));
        if (name !== null && value !== null && value !== "") params.set(name, value);
    }
    const fingerprint = params.get("d") ?? "";
    params.delete("d");
    return { state: { view: match[1] ?? "", params }, fingerprint };
}

function decode(text: string): string | null {
    try {
        return decodeURIComponent(text);
    } catch {
        return null;
    }
}
