import { Component, type ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReportDocument } from "../document/document";
import { whenParsed } from "../document/page_sections";
import { Empty } from "../parts/Empty";
import { runKey } from "../parts/keys";
import { JOIN_TABLES, Page, PageContext, usePage } from "../state/page";
import type { Store } from "../state/store";
import { VIEWS } from "../views";
import type { View } from "../views/view";
import { commandWith, isAvailable, whyNot } from "./available";
import { Details, saySelection } from "./Details";
import { Header } from "./Header";
import { Help } from "./Help";
import { isPaneShown, ShellKeys } from "./ShellKeys";

/** The page around the views. Until the joins are decoded it shows nothing of its own. */
export function App(props: { document: ReportDocument; store: Store; onReady: () => void }) {
    const { document, store } = props;
    const [page, setPage] = useState<Page | null>(null);
    const [error, setError] = useState<Error | null>(null);
    const live = useRef<HTMLDivElement>(null);
    const announce = useCallback((text: string) => {
        if (live.current !== null) live.current.textContent = text;
    }, []);
    useEffect(() => {
        whenParsed()
            .then(() => document.load(JOIN_TABLES))
            .then(() => setPage(new Page(document, store, announce)))
            .catch((reason: Error) => setError(reason))
            .finally(props.onReady);
    }, []);
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (runKey(event)) event.preventDefault();
        };
        addEventListener("keydown", onKey);
        return () => removeEventListener("keydown", onKey);
    }, []);
    return (
        <>
            {error !== null && (
                <main>
                    <Failure error={error} />
                </main>
            )}
            {page !== null && (
                <PageContext.Provider value={page}>
                    <Shell />
                </PageContext.Provider>
            )}
            <div class="unseen" role="status" aria-live="polite" ref={live} />
        </>
    );
}

function Shell() {
    const page = usePage();
    const [isHelpOpen, setHelpOpen] = useState(false);
    const view = VIEWS.find((candidate) => candidate.id === page.store.view) ?? (VIEWS[0] as View);
    const theme = page.store.get("theme");
    const hasPane = useAfterDoubleClick(isPaneShown(page));
    useLayoutEffect(() => {
        if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
    }, [theme]);
    /* The name first, whenever the details come: a view may say more behind it. */
    const selected = page.store.get("sel");
    useEffect(() => {
        const said = saySelection(page);
        if (said !== "") page.announce(said);
    }, [selected]);
    useEffect(() => {
        document.title = `${page.document.head.title} · ${view.title} · etscope`;
    }, [view]);
    return (
        <>
            <ShellKeys openHelp={() => setHelpOpen(true)} />
            <Header view={view} openHelp={() => setHelpOpen(true)} />
            {page.store.isForeign && (
                <p class="notice" role="alert">
                    This link was made for another report: what it selects may be something else
                    here.
                </p>
            )}
            <div class="body">
                <main id="view" class={`view-${view.id}`} aria-label={view.title}>
                    <Guard key={view.id}>
                        <LoadedView view={view} />
                    </Guard>
                </main>
                {hasPane && <Details ofTimes={view.isOfTimes ?? false} />}
            </div>
            {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
        </>
    );
}

/** Between the two clicks of a double click, at most; most take less. */
const DOUBLE_CLICK_MS = 300;

/**
 * What opens moves what is below the pointer: after a press it waits until the click is known to be
 * one. Keys and addresses open it at once.
 */
function useAfterDoubleClick(isWanted: boolean): boolean {
    const [isSettled, setSettled] = useState(isWanted);
    const pressed = useRef(-Infinity);
    useEffect(() => {
        const onPress = (event: PointerEvent) => (pressed.current = event.timeStamp);
        addEventListener("pointerdown", onPress, true);
        return () => removeEventListener("pointerdown", onPress, true);
    }, []);
    const left = pressed.current + DOUBLE_CLICK_MS - performance.now();
    useEffect(() => {
        if (isSettled === isWanted) return;
        const timer = setTimeout(() => setSettled(isWanted), isWanted ? Math.max(0, left) : 0);
        return () => clearTimeout(timer);
    }, [isWanted]);
    return isWanted && (isSettled || left <= 0);
}

/** Decodes what the view needs, then shows it. */
function LoadedView(props: { view: View }) {
    const page = usePage();
    const { view } = props;
    const names = useMemo(() => [...view.needs, ...(view.loads ?? [])], [view]);
    const isLoaded = () => names.every((name) => page.document.isLoaded(name));
    const [ready, setReady] = useState(isLoaded);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
        if (!ready) page.document.load(names).then(() => setReady(true), setError);
    }, [view]);
    if (!isAvailable(view, page.document)) {
        const missing = whyNot(view, page.document);
        return (
            <Empty
                title={`${view.title} has nothing to show`}
                option={missing.option && commandWith(missing.option, page.document)}
            >
                <p>{missing.sentence}</p>
            </Empty>
        );
    }
    if (error !== null) return <Failure error={error} />;
    return ready ? <view.component /> : null;
}

/** Keeps a fault of one view to that view. */
class Guard extends Component<{ children: ComponentChildren }, { error: Error | null }> {
    override state = { error: null };

    static override getDerivedStateFromError(error: Error) {
        return { error };
    }

    override componentDidCatch(error: Error) {
        console.error(error);
    }

    render() {
        return this.state.error !== null ? (
            <Failure error={this.state.error} />
        ) : (
            this.props.children
        );
    }
}

function Failure(props: { error: Error }) {
    const isDocument = props.error.name === "DocumentError";
    return (
        <div class="empty" role="alert">
            <h2>{isDocument ? "This report cannot be read" : "This view failed"}</h2>
            <p>{props.error.message}</p>
        </div>
    );
}
