import type { ApprovalConfig } from '../domain/approvals.ts';

/**
 * Whether an operation with these facts asks for a second operator; for what a page says beforehand.
 * @param movedAloneCents what single operators moved today already
 */
export function needsApproval<Needed>(
  { approvals }: { approvals: ApprovalConfig },
  {
    approval,
  }: {
    approval: { needed(facts: Needed, limits: ApprovalConfig, movedAloneCents: number): boolean };
  },
  facts: Needed,
  movedAloneCents = 0,
): boolean {
  return approvals.isOn && approval.needed(facts, approvals, movedAloneCents);
}
