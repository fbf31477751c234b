import type { ApprovalConfig } from '../domain/approvals.ts';

/** Whether an operation with these facts asks for a second operator; for what a page says beforehand. */
export function needsApproval<Needed>(
  { approvals }: { approvals: ApprovalConfig },
  { approval }: { approval: { needed(facts: Needed, limits: ApprovalConfig): boolean } },
  facts: Needed,
): boolean {
  return approvals.isOn && approval.needed(facts, approvals);
}
