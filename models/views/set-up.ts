import { setUpOf } from '../../domain/set-up.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { ViewDeps } from './deps.ts';
import { readEvidence } from './evidence.ts';
import { scopeOf } from './partner-scope.ts';
import { gatherSetUpFacts } from './set-up-facts.ts';

/** How far a partner has come with its set-up, with what proves each step. */
export async function readSetUp(deps: ViewDeps, partner: PartnerDoc) {
  const facts = await gatherSetUpFacts(deps, partner);
  const setUp = setUpOf(facts);
  const ids = setUp.items.flatMap(({ evidence }) => evidence);
  return { facts, setUp, evidence: await readEvidence(deps, scopeOf(partner), ids) };
}

export type SetUpOfPartner = Awaited<ReturnType<typeof readSetUp>>;
