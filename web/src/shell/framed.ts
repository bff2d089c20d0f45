/**
 * A report in the frame of the page that reads files (web/app): a drag over it belongs to that page,
 * which hears of no drag over a frame. It covers the frame then, and takes the drop.
 */
export function passDragsOn(): void {
    if (window.parent === window) return;
    const isOfFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const pass = (event: DragEvent) => {
        if (!isOfFiles(event)) return;
        event.preventDefault(); /* a drop would load the file here */
        if (event.type !== "drop") window.parent.postMessage("etscope-drag", "*");
    };
    for (const name of ["dragenter", "dragover", "drop"] as const) addEventListener(name, pass);
}
