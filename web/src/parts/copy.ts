/** What the clipboard receives: tables as TSV or JSON. */
export type CopyValue = number | string | null;

/** TSV that no spreadsheet takes for a formula. */
export function toTsv(titles: readonly string[], rows: readonly CopyValue[][]): string {
    return [titles, ...rows].map((row) => `${row.map(tsvField).join("\t")}\n`).join("");
}

function tsvField(value: CopyValue): string {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text = value.replace(/[\t\r\n]+/g, " ");
    if (/^([=+\-@\uff0b\uff0d\uff1d\uff20\t\r\n])/.test(value)) return `'${text}`;
    return text.startsWith('"')
        ? `"${text.replace(/"/g, '""')}"`
        : text; /* else it opens a quote */
}

export function toJson(names: readonly string[], rows: readonly CopyValue[][]): string {
    return JSON.stringify(
        rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
        null,
        1,
    );
}

/** Copies a text; also where the clipboard's interface is not there (file: in some browsers). */
export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = document.createElement("textarea");
        area.value = text;
        area.className = "unseen";
        document.body.append(area);
        area.select();
        const isCopied = document.execCommand("copy");
        area.remove();
        return isCopied;
    }
}
