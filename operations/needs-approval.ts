import type { ApprovalConfig } from '../domain/operators.ts';

/**
 * Whether an operation of which this is shown needs a second operator, so that a page can say so beforehand.
 * @param movedAloneCents what operators have moved without approval today
 */
export function needsApproval<Needed>(
  { approvals }: { approvals: ApprovalConfig },
  {
    approval,
  }: {
    approval: { needed(shown: Needed, limits: ApprovalConfig, movedAloneCents: number): boolean };
  },
  shown: Needed,
  movedAloneCents = 0,
): boolean {
  return approvals.isOn && approval.needed(shown, approvals, movedAloneCents);
}
