import type { RehearsalReport } from '../domain/rehearsal.ts';
import { newestRehearsal, readReport } from '../models/rehearsals.ts';
import type { RehearsalDoc } from '../models/schemas/rehearsals.ts';
import type { TimedDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

export interface ShownRehearsal {
  rehearsal: RehearsalDoc;
  isOn: boolean;
  report: RehearsalReport;
}

/** A partner's newest rehearsal, and how its integration did; null before the first. */
export async function readRehearsal(
  { models, now }: TimedDeps,
  partnerId: PartnerScope,
): Promise<ShownRehearsal | null> {
  const rehearsal = await newestRehearsal(models, { partnerId });
  if (rehearsal === null) return null;
  const nowMs = now();
  const report = await readReport(models, rehearsal, nowMs);
  return { rehearsal, isOn: rehearsal.endsAt.getTime() > nowMs, report };
}
