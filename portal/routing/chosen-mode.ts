import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { say } from '../words/say.ts';

/** Of a page's context, what an address asks for. */
interface QueryContext {
  readonly query: Record<string, string | string[] | undefined>;
}

interface PartnerQueryContext extends QueryContext {
  state: { viewer: { partner: Pick<PartnerDoc, 'goLive'> } };
}

/** What a partner sees where an address names no mode: LIVE once they are live. */
export const defaultModeOf = ({ goLive }: Pick<PartnerDoc, 'goLive'>): Mode =>
  goLive.state === 'LIVE' ? 'LIVE' : 'TEST';

/** The mode that an address names, `?mode=TEST`; undefined where it names none of ours. */
export const modeIn = ({ query }: QueryContext): Mode | undefined =>
  modes.find((mode) => mode === query.mode);

/**
 * The one switch of the portal: what pages of partners show.
 * @throws ServiceError NOT_FOUND for a mode that does not exist
 */
export function modeOf(ctx: PartnerQueryContext): Mode {
  const named = modeIn(ctx);
  if (named === undefined && (ctx.query.mode ?? '') !== '') {
    throw new ServiceError('NOT_FOUND', say('error.badAddress'));
  }
  return named ?? defaultModeOf(ctx.state.viewer.partner);
}
