import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { again } from './claim-page.ts';
import { customerView } from './customer-layout.ts';
import { html } from './html.ts';

/** What a customer is told; where there is no text, the error's own. */
const told: Partial<Record<ErrorCode, { title: string; text?: string }>> = {
  NOT_FOUND: {
    title: 'We don’t recognize this link',
    text: 'If you bought something just now, try again in a moment. Some email programs break a long link in two: open the link from the email again, or copy all of it.',
  },
  RATE_LIMITED: { title: 'Too many requests' },
  UNAVAILABLE: {
    title: 'Temporarily unavailable',
    text: 'Your points are safe. Try again in a few seconds.',
  },
  INTERNAL: {
    title: 'Something went wrong',
    text: 'This is our fault, and we have been notified. Your points are safe. Try again in a moment.',
  },
};

/** A page for a customer whose link could not be answered. */
export function customerErrorPage(ctx: PortalContext, { code, message }: ServiceError): void {
  const { title, text = message } = told[code] ?? { title: 'That didn’t work' };
  customerView(
    ctx,
    { title, merchant: null },
    html`<h1>${title}</h1><p>${text}</p>${again(ctx.path)}
<p class="small">${ctx.status} · request <code>${ctx.state.requestId}</code></p>`,
  );
}
