import { type PartnerScope, scopeOf } from '../../models/views/partner-scope.ts';
import type { PageContext } from '../context.ts';

/** Whose rows a page of a partner's user shows: their partner's, whatever stands in the path. */
export const ownScope = ({ state }: Pick<PageContext<'partner'>, 'state'>): PartnerScope =>
  scopeOf(state.viewer.partner);
