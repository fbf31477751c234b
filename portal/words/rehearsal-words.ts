import type { RehearsalReport } from '../../domain/rehearsal.ts';
import type { ShownRehearsal } from '../../views/rehearsals.ts';

export const verdictWords: Readonly<Record<RehearsalReport['verdict'], string>> = {
  NOTHING_HAPPENED: 'Nothing has happened yet: let your integration sell in TEST.',
  PASSED: 'Your integration passed.',
  PROBLEMS: 'Your integration has problems.',
};

const outcomes: Readonly<Record<RehearsalReport['verdict'], string>> = {
  NOTHING_HAPPENED: 'nothing was sent',
  PASSED: 'passed',
  PROBLEMS: 'problems were found',
};

/** The newest rehearsal as evidence for go-live, which does not require one. */
export function rehearsalEvidence(shown: ShownRehearsal | null): string {
  if (shown === null) return 'Failures were not rehearsed, which is not required.';
  const { rehearsal, report } = shown;
  const day = rehearsal.startedAt.toISOString().slice(0, 10);
  const faults = Object.values(report.faults).reduce((sum, count) => sum + count, 0);
  return `Failures were rehearsed on ${day}, which is not required: ${outcomes[report.verdict]}, with ${faults} faulty requests.`;
}
