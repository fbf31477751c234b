/** How far an operator's deed is: its intent is written before it, what became of it afterwards. */
export const deedStatuses = ['INTENDED', 'DONE', 'FAILED'] as const;

export type DeedStatus = (typeof deedStatuses)[number];
