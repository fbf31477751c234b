import { type SetUp, type SetUpFacts, setUpOf } from '../../domain/set-up.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { ViewDeps } from './deps.ts';
import { readEvidence } from './evidence.ts';
import { scopeOf } from './partner-scope.ts';
import { readSetUpFacts } from './set-up-facts.ts';

/** A partner's progress with the set-up, with the evidence for each step. */
export async function readSetUp(deps: ViewDeps, partner: PartnerDoc) {
  const { facts, setUp } = await readProgress(deps, partner);
  const ids = setUp.items.flatMap(({ evidence }) => evidence);
  return { facts, setUp, evidence: await readEvidence(deps, scopeOf(partner), ids) };
}

/** A partner's progress with the set-up, without the evidence. */
export async function readProgress(
  deps: Pick<ViewDeps, 'models'>,
  partner: PartnerDoc,
): Promise<SetUpProgress> {
  const facts = await readSetUpFacts(deps, partner);
  return { facts, setUp: setUpOf(facts) };
}

export interface SetUpProgress {
  facts: SetUpFacts;
  setUp: SetUp;
}

export type SetUpOfPartner = Awaited<ReturnType<typeof readSetUp>>;
