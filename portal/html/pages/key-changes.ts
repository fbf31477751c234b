import { maxActiveSecrets } from '../../../domain/credentials.ts';
import type { CredentialDoc, SecretDoc } from '../../../models/schemas/credential.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { baseOf } from '../../routing/key-modes.ts';
import { code, facts, linkButton, notice } from '../components.ts';
import { form } from '../form.ts';
import { time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { crumbsOf } from '../keys.ts';
import { lastUseOf } from '../last-use.ts';
import { type Page, page } from '../view.ts';

const activeSecrets = ({ secrets }: CredentialDoc): SecretDoc[] =>
  secrets.filter(({ revokedAt }) => revokedAt === null);

export function rotatePage(ctx: PageContext<'partner'>, key: CredentialDoc, filled: Filled): Page {
  const { mode } = key;
  const active = activeSecrets(key);
  const isFull = active.length >= maxActiveSecrets;
  return page(
    { title: 'Rotate the secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${
      isFull
        ? html`<p>Two secrets are active already. Revoke the one that your systems use no longer; then there is room for another.</p>
${secretUse(active)}
${linkButton(`/keys/${key._id}`, 'To its secrets')}`
        : html`<p>A second secret is added, and both work: change your systems over without a request refused, then revoke the old one.</p>
${secretUse(active)}
${form(ctx, {
  ...{ action: `${baseOf(mode)}/${key._id}/rotate`, submit: 'Generate a new secret', filled },
})}`
    }</div>`,
  );
}

export function revokePage(ctx: PageContext<'partner'>, key: CredentialDoc, filled: Filled): Page {
  const { mode } = key;
  return page(
    { title: 'Revoke the key', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This key', lastUseOf(key.secrets))}
<p>${code(key.apiKey)} stops working within seconds, with all its secrets, and for good.</p>
${form(ctx, {
  ...{ action: `${baseOf(mode)}/${key._id}/revoke`, submit: 'Revoke the key', filled },
  isDangerous: true,
})}</div>`,
  );
}

export function revokeSecretPage(
  ctx: PageContext<'partner'>,
  key: CredentialDoc,
  secretId: string,
  filled: Filled,
): Page {
  const { mode } = key;
  const lastUse = key.secrets.find((one) => one.secretId === secretId)?.lastUsedAt ?? null;
  const isLast = activeSecrets(key).length === 1;
  return page(
    { title: 'Revoke the secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This secret', lastUse)}
${isLast ? notice('warn', 'It is the only one: without it the key signs nothing. Rotate first, to change over without an outage.') : nothing}
<p>${code(secretId)} stops working within seconds, and for good.</p>
${form(ctx, {
  ...{ submit: 'Revoke the secret', filled, isDangerous: true },
  action: `${baseOf(mode)}/secrets/${secretId}/revoke`,
})}</div>`,
  );
}

function lastUseWarning(what: string, lastUse: Date | null): Html {
  return lastUse === null
    ? notice('info', `${what} was never used.`)
    : notice('warn', html`${what} was last used on ${time(lastUse)}.`);
}

function secretUse(secrets: readonly SecretDoc[]): Html {
  return facts(
    secrets.map(({ secretId, lastUsedAt }) => [
      `Active: ${secretId}`,
      html`Last used: ${time(lastUsedAt, 'never')}`,
    ]),
  );
}
