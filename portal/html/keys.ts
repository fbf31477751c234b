import type { Mode } from '../../domain/mode.ts';
import type { CredentialDoc } from '../../models/schemas/credential.ts';
import type { PageContext } from '../context.ts';
import { say } from '../words/say.ts';
import { linkButton } from './components.ts';
import { type Html, nothing } from './html.ts';
import { onwardLinks } from './onward-links.ts';

export const keyCrumbs = () => [[say('keys.apiKeys'), '/keys']] as const;

export const crumbsOf = ({ _id, mode }: CredentialDoc) =>
  [...keyCrumbs(), [say('keys.key', { mode }), `/keys/${_id}`]] as const;

/** The environment variables that the SDK, its command and the quick starts read. */
export function environment(url: string, apiKey: string, secret: string): string {
  return `PARTNER_URL=${url}\nPARTNER_KEY=${apiKey}\nPARTNER_SECRET=${secret}\n`;
}

/** Links to what can be done with a key. The test console only signs with TEST keys. */
export function keyLinks(ctx: Pick<PageContext, 'state'>, mode: Mode = 'TEST'): Html {
  return onwardLinks(
    ctx,
    [
      ['/quickstarts', say('keys.quickStarts')],
      ['/reference', say('keys.apiReference')],
      ['/doctor', say('keys.signatureRefused')],
    ],
    mode === 'TEST' && ctx.state.mayOpen('/console')
      ? linkButton('/console', say('keys.keyLinks.button'), 'secondary')
      : nothing,
  );
}
