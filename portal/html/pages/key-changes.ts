import { maxActiveSecrets } from '../../../domain/partners.ts';
import type { CredentialDoc, SecretDoc } from '../../../models/schemas/integrations.ts';
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
    { title: 'Rotate secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${
      isFull
        ? html`<p>Two secrets are already active. Revoke the one your systems no longer use, then create another.</p>
${secretUse(active)}
${linkButton(`/keys/${key._id}`, 'View secrets')}`
        : html`<p>This adds a second secret, and both work. Switch your systems over without an outage, then revoke the old one.</p>
${secretUse(active)}
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/rotate`,
  submit: 'Generate new secret',
  filled,
})}`
    }</div>`,
  );
}

export function revokePage(ctx: PageContext<'partner'>, key: CredentialDoc, filled: Filled): Page {
  const { mode } = key;
  return page(
    { title: 'Revoke key', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This key', lastUseOf(key.secrets))}
<p>${code(key.apiKey)} and all its secrets stop working within seconds, permanently.</p>
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/revoke`,
  submit: 'Revoke key',
  filled,
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
    { title: 'Revoke secret', mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning('This secret', lastUse)}
${isLast ? notice('warn', 'This is the key’s only secret: without it, the key can’t sign requests. Rotate first to switch over without an outage.') : nothing}
<p>${code(secretId)} stops working within seconds, permanently.</p>
${form(ctx, {
  submit: 'Revoke secret',
  filled,
  isDangerous: true,
  action: `${baseOf(mode)}/secrets/${secretId}/revoke`,
})}</div>`,
  );
}

function lastUseWarning(what: string, lastUse: Date | null): Html {
  return lastUse === null
    ? notice('info', `${what} has never been used.`)
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
