/** The lists of records that operators can export. */
export const recordLists = ['REVIEWS', 'REWARDS', 'LEDGER', 'AUDIT_LOG'] as const;
export type RecordList = (typeof recordLists)[number];
