import { findPartnersByName, readPartnerChoices } from '../../models/views/search.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';

/** An id that no partner has: filtering by it gives an empty list. */
const nobody = 'prt_none';

/**
 * The partner that a list is filtered by: the name or id entered into its filter. If the text matches none
 * or several, the list is empty and the page says which of the two it is.
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
