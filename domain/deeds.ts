/** How far an operator's deed is: its intent is written before it, what became of it afterwards. */
export const deedStatuses = ['INTENDED', 'DONE', 'FAILED'] as const;

/** No deed takes longer, however slow the servers are: one that is still intended then was left behind. */
export const deedPatienceMs = 10 * 60_000;

export type DeedStatus = (typeof deedStatuses)[number];
