import { useEffect, useState } from "preact/hooks";

/** Whether the page is being printed: then lists show their first rows, and nothing scrolls. */
export function usePrinting(): boolean {
    const [isPrinting, set] = useState(false);
    useEffect(() => {
        const query = matchMedia("print");
        const update = () => set(query.matches);
        query.addEventListener("change", update);
        return () => query.removeEventListener("change", update);
    }, []);
    return isPrinting;
}
