import type { ApprovalConfig } from '../domain/operators.ts';

/**
 * Whether an operation with these facts needs a second operator, so that a page can say so beforehand.
 * @param movedAloneCents what operators have moved without approval today
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
