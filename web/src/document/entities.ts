/* Rows of tables of the document: make docs writes them from the catalogue. */

export interface FindingsRow {
    id: number | null;
    trace: number | null;
    program: number | null;
    kind: string | null;
    severity: string | null;
    sentence: string | null;
    action: string | null;
    share: number | null;
    share_upper: number | null;
    saving: number | null;
    saving_upper: number | null;
    away: number | null;
    away_share: number | null;
    saved_bytes: number | null;
    basis: string | null;
    confidence: string | null;
    method: string | null;
    block: number | null;
    operator: number | null;
    place: string | null;
    module: string | null;
    source: string | null;
    instructions: string | null;
    evidence: string | null;
    doubt: string | null;
    check: string | null;
    view: string | null;
}
