import { goLiveChecklist } from '../../domain/go-live.ts';
import { namesOfActors } from '../identity/actors.ts';
import { findPartner } from '../identity/partners.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { ViewDeps } from './deps.ts';
import { readEvidence } from './evidence.ts';
import { readGoLiveFacts } from './go-live-facts.ts';
import { scopeOf } from './partner-scope.ts';

/** A partner's go-live checklist, with the evidence for each condition. */
export async function readGoLive(deps: ViewDeps, partner: PartnerDoc) {
  const facts = await readGoLiveFacts(deps, partner);
  const checklist = goLiveChecklist(facts);
  const ids = checklist.items.flatMap(({ evidence }) => evidence);
  const evidence = await readEvidence(deps, scopeOf(partner), ids);
  return { facts, checklist, evidence };
}

export type GoLiveProgress = Awaited<ReturnType<typeof readGoLive>>;

/** A partner's checklist, and the name of its reviewer; for operators. @throws ServiceError NOT_FOUND */
export async function readGoLiveRequest(deps: Pick<ViewDeps, 'models'>, partnerId: string) {
  const partner = await findPartner(deps.models, partnerId);
  const facts = await readGoLiveFacts(deps, partner);
  const nameOf = await namesOfActors(deps.models, [partner.goLive.reviewerId]);
  return { partner, facts, checklist: goLiveChecklist(facts), nameOf };
}

export type GoLiveRequest = Awaited<ReturnType<typeof readGoLiveRequest>>;
