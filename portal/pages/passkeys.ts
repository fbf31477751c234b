import { notice } from '../components/components.ts';
import { field, form, hidden } from '../components/form.ts';
import { type Html, html } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { isHalfSignedIn } from '../middleware/access.ts';

interface AddOptions {
  /** Whether passkeys work at the portal's address. */
  isOffered: boolean;
  /** The portal's address. */
  url: string;
  /** The page to continue to. */
  to: string;
  filled: Filled;
}

export function addPasskeyPage(
  ctx: PageContext<'user'>,
  { isOffered, url, to, filled }: AddOptions,
): Page {
  return page(
    {
      title: 'Add a passkey',
      lead: 'Your fingerprint, face, device PIN or security key, as your second factor.',
      crumbs: isHalfSignedIn(ctx.state.viewer) ? [] : [['Account', '/account']],
    },
    html`<div class="card narrow">${
      isOffered
        ? form(
            ctx,
            { action: '/second-factor/passkeys/new', submit: 'Add passkey', filled },
            hidden('to', to),
            field({
              name: 'name',
              label: 'Name',
              filled,
              isRequired: true,
              maxLength: 100,
              hint: 'To recognize it by, such as the device or password manager that keeps it.',
              autofocus: true,
            }),
            passkeyFields(
              'ADD',
              'No passkey was added: it was cancelled, took too long, or this device has one already.',
            ),
          )
        : notice('warn', noPasskeysHere(url))
    }<p class="muted after">Or use <a href="/second-factor/enroll?to=${encodeURIComponent(to)}">an authenticator app</a></p></div>`,
  );
}

export const noPasskeysHere = (url: string): string =>
  `Passkeys do not work at ${url}: they need a host name and HTTPS.`;

/**
 * The fields of a form that portal.js sends with a passkey.
 * @param failed what to say if the browser gave none
 */
export const passkeyFields = (use: 'ADD' | 'GIVE', failed: string): Html =>
  html`<input type="hidden" name="credential" data-passkey="${use}">
<div class="notice notice-bad" role="alert" hidden>${failed}</div>`;
