/** What a view is. One folder holds one view; views/index.ts lists them. */
import type { ComponentType } from "preact";
import type { ReportDocument } from "../document/document";
import type { Selection } from "../state/selection";

export interface View {
    /** In the address. */
    id: string;
    title: string;
    /** Tables without which there is nothing to show: the view is disabled then. */
    needs: readonly string[];
    /** Tables that are decoded before the view is shown, beside those it needs and JOIN_TABLES. */
    loads?: readonly string[];
    /** Where tables alone do not tell whether there is something to show. */
    isThere?: (document: ReportDocument) => boolean;
    /** Options of the command that give it what it needs; with `takesAll` it needs each. */
    takes?: readonly string[];
    takesAll?: boolean;
    /** It shows times: while nothing is selected, the details pane says where a run goes. */
    isOfTimes?: boolean;
    /** The whole view; it gets the page from `usePage()`. */
    component: ComponentType;
    /** Kinds of selections that it shows: the details pane links to it. */
    shows?: readonly Selection["kind"][];
}
