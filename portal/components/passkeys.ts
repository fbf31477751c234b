import { type Html, html } from './format.ts';

export const noPasskeysHere = (url: string): string =>
  `Passkeys do not work at ${url}: they need a host name and HTTPS.`;

/**
 * The fields of a form that portal.js sends with a passkey.
 * @param failed what to say if the browser gave none
 */
export const passkeyFields = (use: 'ADD' | 'GIVE', failed: string): Html =>
  html`<input type="hidden" name="credential" data-passkey="${use}">
<div class="notice notice-bad" role="alert" hidden>${failed}</div>`;
