import { findPartnersByName, readPartnerChoices } from '../../models/views/match-partner.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';

/** Nobody’s id: a list narrowed by it is empty. */
const nobody = 'prt_none';

/**
 * The partner that a list is narrowed to, by what was typed into its filter: a name or an id. What names
 * none, or several, narrows the list to nothing, and the page says which it is.
 */
export async function chosenPartner(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  typed: string | undefined,
): Promise<string | undefined> {
  const [offered, found] = await Promise.all([
    readPartnerChoices(deps),
    typed === undefined ? [] : findPartnersByName(deps, typed),
  ]);
  ctx.state.partnerFilter = { offered, typed, found };
  if (typed === undefined) return undefined;
  return found.length === 1 ? found[0]?._id : nobody;
}
