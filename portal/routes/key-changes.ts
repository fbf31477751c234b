import Joi from 'joi';
import { maxActiveSecrets } from '../../domain/credentials.ts';
import type { Mode } from '../../domain/events.ts';
import { revokeCredential } from '../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../models/commands/revoke-secret.ts';
import { rotateSecret } from '../../models/commands/rotate-secret.ts';
import type { CredentialDoc, SecretDoc } from '../../models/schemas/credential.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms.ts';
import { code, facts, linkButton, notice } from '../html/components.ts';
import { form } from '../html/form.ts';
import { time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { view } from '../html/view.ts';
import { baseOf, crumbsOf, findKey, findKeyOfSecret, keyModes } from '../keys.ts';
import { lastUseOf } from '../last-use.ts';
import { revealKey } from '../reveal.ts';
import type { Routes } from '../route-table.ts';

const nothingToFill = Joi.object({});
const activeSecrets = ({ secrets }: CredentialDoc): SecretDoc[] =>
  secrets.filter(({ revokedAt }) => revokedAt === null);

/** How a key is rotated and revoked. */
export function keyChangePages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  for (const { mode, permission, secondFactor, kind, secretKind } of Object.values(keyModes)) {
    const base = baseOf(mode);
    const common = { audience: 'partner', permission, secondFactor } as const;

    const ofKey = { ...common, params: { credentialId: kind } };
    const rotating = { ...ofKey, path: `${base}/:credentialId/rotate` };
    const showThisRotate = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showRotate(ctx, mode, filled);
    routes.page(rotating, (ctx) => showThisRotate(ctx));
    routes.action(rotating, {
      schema: nothingToFill,
      async act(ctx) {
        const { _id: targetId, partnerId } = await findKey(models, ctx, { mode });
        const made = await deed(
          deps,
          ctx,
          { action: 'credential.rotate', partnerId, targetId },
          () => rotateSecret(deps, targetId),
          ({ secretId }) => ({ details: { secretId } }),
        );
        await revealKey(deps, ctx, 'Your new secret', made);
      },
      retry: showThisRotate,
    });

    const revoking = { ...ofKey, path: `${base}/:credentialId/revoke` };
    const showThisRevoke = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showRevoke(ctx, mode, filled);
    routes.page(revoking, (ctx) => showThisRevoke(ctx));
    routes.action(revoking, {
      schema: nothingToFill,
      async act(ctx) {
        const { _id: targetId, partnerId } = await findKey(models, ctx, { mode });
        await deed(deps, ctx, { action: 'credential.revoke', partnerId, targetId }, () =>
          revokeCredential(deps, targetId),
        );
        redirect(ctx, `/keys/${targetId}`, 'The key is revoked: it stops working within seconds.');
      },
      retry: showThisRevoke,
    });

    const revokingSecret = {
      ...common,
      path: `${base}/secrets/:secretId/revoke`,
      params: { secretId: secretKind },
    };
    const showThisRevokeSecret = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showRevokeSecret(ctx, mode, filled);
    routes.page(revokingSecret, (ctx) => showThisRevokeSecret(ctx));
    routes.action(revokingSecret, {
      schema: nothingToFill,
      async act(ctx) {
        const secretId = param(ctx, 'secretId');
        const { _id: targetId, partnerId } = await findKeyOfSecret(models, ctx, mode);
        await deed(
          deps,
          ctx,
          { action: 'credential.revoke-secret', partnerId, targetId, details: { secretId } },
          () => revokeSecret(deps, targetId, secretId),
        );
        redirect(
          ctx,
          `/keys/${targetId}`,
          'The secret is revoked: it stops working within seconds.',
        );
      },
      retry: showThisRevokeSecret,
    });
  }

  async function showRotate(ctx: PageContext<'partner'>, mode: Mode, filled = emptyForm) {
    const key = await findKey(models, ctx, { mode });
    const active = activeSecrets(key);
    const isFull = active.length >= maxActiveSecrets;
    view(
      ctx,
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

  async function showRevoke(ctx: PageContext<'partner'>, mode: Mode, filled = emptyForm) {
    const key = await findKey(models, ctx, { mode });
    view(
      ctx,
      { title: 'Revoke the key', mode, crumbs: crumbsOf(key) },
      html`<div class="card narrow">${lastUseWarning('This key', lastUseOf(key.secrets))}
<p>${code(key.apiKey)} stops working within seconds, with all its secrets, and for good.</p>
${form(ctx, {
  ...{ action: `${baseOf(mode)}/${key._id}/revoke`, submit: 'Revoke the key', filled },
  isDangerous: true,
})}</div>`,
    );
  }

  async function showRevokeSecret(ctx: PageContext<'partner'>, mode: Mode, filled = emptyForm) {
    const secretId = param(ctx, 'secretId');
    const key = await findKeyOfSecret(models, ctx, mode);
    const lastUse = key.secrets.find((one) => one.secretId === secretId)?.lastUsedAt ?? null;
    const isLast = activeSecrets(key).length === 1;
    view(
      ctx,
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
