/** A list of the operators’ records, as it is exported. */
export const recordLists = ['REVIEWS', 'REWARDS', 'LEDGER', 'AUDIT_LOG'] as const;
export type RecordList = (typeof recordLists)[number];
