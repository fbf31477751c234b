import { maxActiveSecrets } from '../../../domain/credentials.ts';
import type { CredentialDoc, SecretDoc } from '../../../models/schemas/credential.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { baseOf } from '../../routing/key-modes.ts';
import { say } from '../../words/say.ts';
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
    { title: say('keyChanges.rotate.title'), mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${
      isFull
        ? html`<p>${say('keyChanges.rotate.twoSecrets')}</p>
${secretUse(active)}
${linkButton(`/keys/${key._id}`, say('keyChanges.toItsSecrets'))}`
        : html`<p>${say('keyChanges.rotate.secondSecret')}</p>
${secretUse(active)}
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/rotate`,
  submit: say('keyChanges.rotate.submit'),
  filled,
})}`
    }</div>`,
  );
}

export function revokePage(ctx: PageContext<'partner'>, key: CredentialDoc, filled: Filled): Page {
  const { mode } = key;
  return page(
    { title: say('keyChanges.revoke.title'), mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning(say('keyChanges.thisKey'), lastUseOf(key.secrets))}
<p>${say('keyChanges.revoke.text', { apiKey: code(key.apiKey) })}</p>
${form(ctx, {
  action: `${baseOf(mode)}/${key._id}/revoke`,
  submit: say('keyChanges.revoke.submit'),
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
    { title: say('keyChanges.revokeSecret.title'), mode, crumbs: crumbsOf(key) },
    html`<div class="card narrow">${lastUseWarning(say('keyChanges.thisSecret'), lastUse)}
${isLast ? notice('warn', say('keyChanges.revokeSecret.notice')) : nothing}
<p>${say('keyChanges.revokeSecret.text', { secretId: code(secretId) })}</p>
${form(ctx, {
  submit: say('keyChanges.revokeSecret.submit'),
  filled,
  isDangerous: true,
  action: `${baseOf(mode)}/secrets/${secretId}/revoke`,
})}</div>`,
  );
}

function lastUseWarning(what: string, lastUse: Date | null): Html {
  return lastUse === null
    ? notice('info', say('keyChanges.wasNeverUsed', { what }))
    : notice('warn', say('keyChanges.lastUseWarning.notice', { what, lastUse: time(lastUse) }));
}

function secretUse(secrets: readonly SecretDoc[]): Html {
  return facts(
    secrets.map(({ secretId, lastUsedAt }) => [
      say('keyChanges.active', { secretId }),
      say('keyChanges.lastUsed', { lastUsedAt: time(lastUsedAt, say('keyChanges.never')) }),
    ]),
  );
}
