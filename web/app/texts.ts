/** Sizes and counts as the page says them. */
const UNITS = ["bytes", "kB", "MB", "GB"];

export function bytesText(bytes: number): string {
    let unit = 0;
    while (bytes >= 1000 && unit < UNITS.length - 1) {
        bytes /= 1000;
        unit++;
    }
    return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${UNITS[unit]}`;
}

export const filesText = (count: number): string => (count === 1 ? "1 file" : `${count} files`);
