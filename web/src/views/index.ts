/** All views, in the order of the header. To add one, import it and add it here. */
import { operatorsView } from "./operators/OperatorsView";
import { runsView } from "./runs/RunsView";
import { sourceView } from "./source/SourceView";
import { summaryView } from "./summary/SummaryView";
import { timelineView } from "./timeline/TimelineView";
import type { View } from "./view";

export const VIEWS: readonly View[] = [
    summaryView,
    operatorsView,
    timelineView,
    sourceView,
    runsView,
];
