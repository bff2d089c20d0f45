/** The page that reads files: drop, report, compare, ask. */
import { render } from "preact";
import { App } from "./App";
import "../src/style/base.css";
import "./app.css";

const page = document.createElement("div");
page.id = "etscope-files";
document.body.prepend(page);
render(<App />, page);
