/** All views, in the order of the header. To add one, import it and add it here. */
import { compareView } from "./compare/CompareView";
import { costView } from "./cost/CostView";
import { graphView } from "./graph/GraphView";
import { memoryView } from "./memory/MemoryView";
import { numbersView } from "./numbers/NumbersView";
import { operatorsView } from "./operators/OperatorsView";
import { runsView } from "./runs/RunsView";
import { sizeView } from "./size/SizeView";
import { sourceView } from "./source/SourceView";
import { summaryView } from "./summary/SummaryView";
import { timelineView } from "./timeline/TimelineView";
import type { View } from "./view";

export const VIEWS: readonly View[] = [
    summaryView,
    operatorsView,
    timelineView,
    graphView,
    sourceView,
    costView,
    numbersView,
    memoryView,
    sizeView,
    runsView,
    compareView,
];
