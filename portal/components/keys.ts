import type { Mode } from '../../domain/mode.ts';
import type { PageContext } from '../context.ts';
import { linkButton } from './components.ts';
import { type Html, nothing } from './format.ts';
import { onwardLinks } from './onward-links.ts';

export const keyCrumbs = () => [['Keys', '/keys']] as const;

/** The environment variables that the SDK, its command and the quick starts read. */
export function environment(url: string, apiKey: string, secret: string): string {
  return `PARTNER_URL=${url}\nPARTNER_KEY=${apiKey}\nPARTNER_SECRET=${secret}\n`;
}

/** Links to what can be done with a key. The test console only signs with TEST keys. */
export function keyLinks(ctx: Pick<PageContext, 'state'>, mode: Mode = 'TEST'): Html {
  return onwardLinks(
    ctx,
    [
      ['/quickstarts', 'Quick starts'],
      ['/reference#signing', 'API reference'],
      ['/doctor', 'Signature refused?'],
    ],
    mode === 'TEST' && ctx.state.mayOpen('/console')
      ? linkButton('/console', 'Send a request in the test console', 'secondary')
      : nothing,
  );
}
