/** Starts the page: reads the head, then puts the application where the static first screen is. */
import { render } from "preact";
import { ReportDocument, readHead } from "./document/document";
import { pageSections, whenParsed } from "./document/page_sections";
import { App } from "./shell/App";
import { passDragsOn } from "./shell/framed";
import { Store, windowAddress } from "./state/store";
import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/shell.css";
import "./style/views.css";

async function start(): Promise<void> {
    await whenParsed();
    const head = readHead(document.getElementById("etscope-head")?.textContent ?? "");
    const page = document.createElement("div");
    page.id = "etscope-app";
    const store = new Store(windowAddress(), head.fingerprint, "summary");
    const onReady = () => {
        /* The static first screen stays until there is something to put in its place. */
        for (const element of document.querySelectorAll(".etscope-static")) element.remove();
        document.documentElement.classList.add("alive");
    };
    document.body.prepend(page);
    render(
        <App document={new ReportDocument(head, pageSections)} store={store} onReady={onReady} />,
        page,
    );
}

passDragsOn();
start().catch((error: Error) => {
    const message = document.createElement("p");
    message.setAttribute("role", "alert");
    message.className = "empty";
    message.textContent = error.message;
    document.body.prepend(message);
});
