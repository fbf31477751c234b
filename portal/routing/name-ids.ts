import { readIdNames } from '../../models/views/names.ts';
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
