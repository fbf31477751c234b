import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { again } from './claim-page.ts';
import { customerView } from './customer-layout.ts';
import { html } from './html.ts';

/** What a customer is told; where there is no text, the error's own. */
const told: Partial<Record<ErrorCode, { title: string; text?: string }>> = {
  NOT_FOUND: {
    title: 'We do not know this link',
    text: 'Some mail programs break a long link in two. Go back to your mail and press it there, or copy the whole of it.',
  },
  RATE_LIMITED: { title: 'A moment, please' },
  UNAVAILABLE: {
    title: 'Not right now',
    text: 'We cannot reach something that we need. Nothing is lost: try again in a few seconds.',
  },
  INTERNAL: {
    title: 'Something went wrong here',
    text: 'It is our fault and has been noted. Nothing is lost: try again in a moment.',
  },
};

/** A page for a customer whose link could not be answered. */
export function customerErrorPage(ctx: PortalContext, { code, message }: ServiceError): void {
  const { title, text = message } = told[code] ?? { title: 'That did not work' };
  customerView(
    ctx,
    { title, merchant: null },
    html`<h1>${title}</h1><p>${text}</p>${again(ctx.path)}
<p class="small">${ctx.status} · request <code>${ctx.state.requestId}</code></p>`,
  );
}
