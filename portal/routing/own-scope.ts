import { type PartnerScope, scopeOf } from '../../views/partner-scope.ts';
import type { PageContext } from '../context.ts';

/** The scope of a partner user's page: their own partner, whatever the path contains. */
export const ownScope = ({ state }: Pick<PageContext<'partner'>, 'state'>): PartnerScope =>
  scopeOf(state.viewer.partner);
