import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { PortalContext } from '../context.ts';
import { localizerFor } from '../words/customer-localizer.ts';
import { again, helpOfShop } from './claim-page.ts';
import { customerView } from './customer-layout.ts';
import { html, nothing } from './html.ts';

/** Keys of the messages by error code; without one, the error's own message is shown. */
const messageKeys = {
  NOT_FOUND: 'unknown',
  RATE_LIMITED: 'tooMany',
  UNAVAILABLE: 'unavailable',
  INTERNAL: 'internal',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Errors that may be over when the page is opened again. */
const passing: readonly ErrorCode[] = ['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'];

/** An error page for customers. */
export function customerErrorPage(ctx: PortalContext, { code, message }: ServiceError): void {
  const localizer = localizerFor(ctx);
  const { text } = localizer;
  const known = Object.hasOwn(messageKeys, code)
    ? messageKeys[code as keyof typeof messageKeys]
    : undefined;
  const title = text(known ? `${known}.title` : 'other.title');
  customerView(
    ctx,
    { title, merchant: null, localizer },
    html`<h1>${title}</h1><p>${known ? text(`${known}.text`) : message}</p>${passing.includes(code) ? again(ctx.path, localizer) : nothing}${helpOfShop(localizer)}
<p class="small">${ctx.status} · ${text('request')} <code>${ctx.state.requestId}</code></p>`,
  );
}
