/** What the details pane shows while nothing is selected: where a run goes, and how to begin. */
import { useLoaded, usePage } from "../state/page";
import { PARTS_TABLES, partsOf } from "../views/summary/parts_of_run";
import { WhereRunGoes } from "../views/summary/WhereRunGoes";

export function Glance(props: { ofTimes: boolean }) {
    const page = usePage();
    const isLoaded = useLoaded(PARTS_TABLES);
    const hasParts = props.ofTimes && isLoaded && partsOf(page).length > 0;
    return (
        <aside class="details idle" aria-label="Details">
            <p class="muted">
                Select anything to see all that is known of it. <kbd>?</kbd> lists the keys.
            </p>
            {hasParts && (
                <>
                    <h2>Where a run goes</h2>
                    <WhereRunGoes />
                    <p class="muted">Solid: certain. Hatched: possible.</p>
                </>
            )}
        </aside>
    );
}
