import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { again } from './claim-page.ts';
import { customerView } from './customer-layout.ts';
import { html } from './html.ts';

interface Told {
  title: string;
  text: string;
}

/** What a customer is told where the error's own words are for programs. */
const told: Partial<Record<ErrorCode, Told>> = {
  NOT_FOUND: {
    title: 'We do not know this link',
    text: 'Some mail programs break a long link in two. Go back to your mail and press it there, or copy the whole of it.',
  },
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
  const { title, text } = told[code] ?? { title: 'That did not work', text: message };
  customerView(
    ctx,
    { title, merchant: null },
    html`<h1>${title}</h1><p>${text}</p>${again(ctx.path)}
<p class="small">${ctx.status} · request <code>${ctx.state.requestId}</code></p>`,
  );
}
