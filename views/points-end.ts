import type { Mode } from '../domain/mode.ts';
import { findPointsEnds, readPointsEnd } from '../models/ledger/index.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest changes shown. */
export const maxPointsEnds = 25;

/** When a partner's points end in a mode: the setting in force, and the newest ones. */
export async function readPointsEnds({ models }: ModelDeps, partnerId: PartnerScope, mode: Mode) {
  const [active, settings] = await Promise.all([
    readPointsEnd(models, { partnerId, mode }),
    findPointsEnds(models, { partnerId, mode }, maxPointsEnds),
  ]);
  return { active, settings };
}

export type ReadPointsEnd = Awaited<ReturnType<typeof readPointsEnds>>;
