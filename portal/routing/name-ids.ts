import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { readEvidence } from '../../views/go-live.ts';
import { readIdNames } from '../../views/names.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { wordsOfEvidence } from '../components/evidence.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';

/** Reads the names of the things that a page shows by id; `toId` displays them. */
export async function nameIds(
  ctx: Pick<PageContext, 'state'>,
  deps: PageDeps,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  ctx.state.nameOf = await readIdNames(deps, ids);
}

/** Like `nameIds`, for what a partner's decision rests on: each piece says what it is. */
export async function nameEvidence(
  ctx: Pick<PageContext, 'state'>,
  deps: PageDeps,
  partner: PartnerDoc,
  ids: readonly string[],
): Promise<void> {
  const [names, evidence] = await Promise.all([
    readIdNames(deps, ids),
    readEvidence(deps, scopeOf(partner), ids),
  ]);
  const words = [...evidence].map(
    ([id, name]) => [id, wordsOfEvidence(name, partner.currency)] as const,
  );
  ctx.state.nameOf = new Map([...names, ...words]);
}
