"use strict";
// Draws the document in #data. Names are set as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.map((child) => (child instanceof Node ? child : plain(child))));
    return element;
}

function draw(tag, attributes, text) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = plain(text);
    return element;
}

// Controls and marks of direction would change what stands around a name.
function plain(value) {
    return String(value).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function duration(ns) {
    if (ns === null || ns === undefined) return "-";
    for (const [unit, scale] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
        if (Math.abs(ns) >= scale) return `${Number((ns / scale).toPrecision(3))} ${unit}`;
    return `${Number(ns.toPrecision(3))} ns`;
}

const change = (ratio) => {
    if (ratio === null) return "?";
    const percent = 100 * (ratio - 1);
    return `${percent < 0 ? "" : "+"}${percent.toFixed(1)} %`;
};
const WRITERS = {
    time: duration,
    change,
    range: (ends) => `${change(ends[0])} to ${change(ends[1])}`,
    share: (share) => (share === null ? "-" : `${(100 * share).toFixed(1)} %`),
    p: (p) => (p >= 0.001 ? p.toFixed(3) : p.toExponential(0)),
    number: (value) => (value === null ? "-" : value.toLocaleString("en")),
};
const write = (how, value) => (value === null || value === "" ? "-" : (WRITERS[how] ?? String)(value));
const isText = (how) => !(how in WRITERS);

function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" ? a - b : String(a).localeCompare(String(b));
}

// A share of the whole as a bar beside its number.
function shareBar(share, text) {
    const full = make("span", { class: "full" });
    full.style.width = `${Math.min(100, 100 * share)}%`;
    return make("span", { class: "share" }, make("span", { class: "bar" }, full), make("bdi", {}, text));
}

// A table that is sorted by a click on a heading; `cell` may make an element of a value.
function table(columns, rows, cell = () => null) {
    const shown = columns.filter((c) => rows.some((row) => write(c.how, row[c.name]) !== "-"));
    const body = make("tbody");
    const fill = (sorted) => body.replaceChildren(...sorted.map((row) => make("tr", {}, ...shown.map((c) => {
        const text = write(c.how, row[c.name]);
        const kind = c.name === "verdict" ? row.verdict : isText(c.how) ? "" : "right";
        const isShare = c.how === "share" && row[c.name] !== null;
        const shown = isShare ? shareBar(row[c.name], text) : make("bdi", {}, text);
        return make("td", { class: kind, title: plain(text) }, cell(c, row) ?? shown);
    }))));
    const heads = shown.map((c) => {
        const button = make("button", { type: "button" }, c.heading);
        const head = make("th", { class: isText(c.how) ? "" : "right", scope: "col" }, button);
        button.addEventListener("click", () => {
            const falls = head.getAttribute("aria-sort") !== "descending";
            for (const each of heads) each.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", falls ? "descending" : "ascending");
            fill([...rows].sort((a, b) => compare(a[c.name], b[c.name]) * (falls ? -1 : 1)));
        });
        return head;
    });
    fill(rows);
    return make("div", { class: "scroller", tabindex: "0" },
        make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
}

// The traces of a device or build, below.
const selected = { device: null, build: null };
const traces = make("section", { id: "traces" });

function showTraces() {
    const rows = data.traces.filter((row) =>
        ["device", "build"].every((by) => selected[by] === null || row[by] === selected[by]));
    const what = ["device", "build"].filter((by) => selected[by] !== null).map((by) => `${by} ${selected[by]}`);
    const clear = make("button", { type: "button" }, "show all");
    clear.addEventListener("click", () => {
        selected.device = selected.build = null;
        showTraces();
    });
    const columns = [["trace", "trace", "text"], ["device", "device", "text"], ["build", "build", "text"],
        ["day", "day", "text"], ["method", "method", "text"], ["time_ns", "median run", "time"],
        ["runs", "runs", "number"], ["path", "file", "text"]]
        .map(([name, heading, how]) => ({ name, heading, how }));
    const link = (c, row) => {
        if (c.name !== "trace") return null;
        const name = row.trace.slice(0, 12);
        return row.report ? make("a", { href: row.report }, name) : make("code", {}, name);
    };
    const limit = data.traces.length >= data.most_traces ? `, of the ${data.most_traces} slowest` : "";
    traces.replaceChildren(make("h2", {}, "Traces"),
        make("p", {}, `${rows.length} traces${what.length ? ` of ${what.join(", ")}` : ""}${limit}${data.traces.some((row) => row.report) ? "; a link opens a trace's own report" : ""} `,
            ...(what.length ? [clear] : [])), table(columns, rows, link));
}

function choose(by, name) {
    selected[by] = selected[by] === name ? null : name;
    showTraces();
    traces.scrollIntoView({ block: "start" });
}

// For each device or build a line from p5 to p95, a box of the middle half, the median; logarithmic.
function distribution(by, rows) {
    const all = rows.flatMap((row) => row.quantiles).filter((value) => value > 0).map(Math.log);
    const least = Math.min(...all), most = Math.max(...all);
    const at = (value) => 2 + (96 * (Math.log(Math.max(value, 1)) - least)) / (most - least || 1);
    const line = (row) => {
        const svg = draw("svg", { height: 14, role: "img" });
        const [p5, p25, p50, , p95] = row.quantiles.map((value) => `${at(value)}%`);
        svg.append(draw("line", { class: "range", x1: p5, x2: p95, y1: 7, y2: 7 }),
            draw("rect", { class: "box", x: p25, width: `${at(row.quantiles[3]) - at(row.quantiles[1])}%`, y: 2, height: 10 }),
            draw("line", { class: "middle", x1: p50, x2: p50, y1: 1, y2: 13 }));
        svg.append(draw("title", {}, `p5 to p95: ${duration(row.quantiles[0])} to ${duration(row.quantiles[4])}; middle half ${duration(row.quantiles[1])} to ${duration(row.quantiles[3])}`));
        return svg;
    };
    const lines = rows.filter((row) => row.quantiles[0] !== null).map((row) => ({ ...row, p50: row.quantiles[2], p95: row.quantiles[4], line: "line" }));
    const columns = [["name", by, "text"], ["traces", "traces", "number"], ["line", `p5 to p95, ${duration(Math.exp(least))} to ${duration(Math.exp(most))}, log`, "text"],
        ["p50", "p50", "time"], ["p95", "p95", "time"]].map(([name, heading, how]) => ({ name, heading, how }));
    const cell = (c, row) => {
        if (c.name === "line") return line(row);
        if (c.name !== "name") return null;
        const button = make("button", { type: "button", class: "name" }, make("bdi", {}, row.name || "(unknown)"));
        button.addEventListener("click", () => choose(by, row.name));
        return button;
    };
    return make("section", {}, make("h2", {}, `Runs by ${by}`),
        make("p", { class: "note" }, "A click on a name selects its traces below."), table(columns, lines, cell));
}

function trend(rows, undated) {
    const days = rows.filter((row) => row.p50_ns !== null);
    const told = days.length > 1 ? "p50 of runs by day, the band up to p90. Devices may differ between days."
        : days.length === 0 ? "No trace tells its day: nothing to follow."
        : "Runs of one day only: nothing to follow.";
    const section = make("section", {}, make("h2", {}, "Trend"),
        make("p", { class: "note" }, [told, ...undated.map((note) => `${note}.`)].join(" ")));
    if (days.length < 2) return section;
    const width = 1000, height = 150, most = Math.max(...days.map((row) => row.p90_ns)) || 1;
    const x = (i) => 70 + ((width - 90) * i) / Math.max(days.length - 1, 1);
    const y = (ns) => 10 + (height - 30) * (1 - ns / most);
    const points = (name) => days.map((row, i) => `${x(i)},${y(row[name])}`);
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "p50 and p90 by day" });
    for (const part of [0, 0.5, 1]) {
        svg.append(draw("line", { class: "axis", x1: 70, x2: width - 20, y1: y(most * part), y2: y(most * part) }),
            draw("text", { x: 62, y: y(most * part) + 4, "text-anchor": "end" }, duration(most * part)));
    }
    svg.append(draw("polygon", { class: "band", points: [...points("p50_ns"), ...points("p90_ns").reverse()].join(" ") }),
        draw("polyline", { class: "line", points: points("p50_ns").join(" ") }));
    days.forEach((row, i) => {
        const dot = draw("circle", { class: "dot", cx: x(i), cy: y(row.p50_ns), r: 3 });
        dot.append(draw("title", {}, `${row.day}: p50 ${duration(row.p50_ns)}, p90 ${duration(row.p90_ns)}, ${row.traces} traces`));
        svg.append(dot);
    });
    svg.append(draw("text", { x: 70, y: height - 4 }, days[0].day),
        draw("text", { x: width - 20, y: height - 4, "text-anchor": "end" }, days[days.length - 1].day));
    section.append(svg);
    return section;
}

function answer(section) {
    return make("section", {}, make("h2", {}, section.title), make("p", {}, section.sentence),
        ...(section.rows.length ? [table(section.columns, section.rows)] : []),
        ...section.notes.map((note) => make("p", { class: "note" }, note)));
}

const theme = make("button", { type: "button", style: "margin-left:auto" }, "theme");
theme.addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
});
page.append(
    make("header", {}, make("b", {}, "etscope fleet"), make("span", { class: "title" }, data.dataset), theme),
    make("section", {}, make("p", {}, data.sentence)),
    ...data.sections.slice(0, -1).map(answer),
    make("div", { class: "pair" }, distribution("device", data.devices), distribution("build", data.builds)),
    trend(data.days, data.undated), answer(data.sections[data.sections.length - 1]), traces);
showTraces();
