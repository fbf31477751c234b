import { readIdNames } from '../../models/views/id-names.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';

/** Reads what the things are called that a page names by their ids: `toId` says it. */
export async function nameIds(
  ctx: Pick<PageContext, 'state'>,
  deps: PageDeps,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  ctx.state.nameOf = await readIdNames(deps, ids);
}
