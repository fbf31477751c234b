import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { findOwnKey, findOwnKeyOfSecret } from '../../models/views/integrations.ts';
import { revokeCredential, revokeSecret, rotateCredential } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm } from '../forms/submit.ts';
import { revokePage, revokeSecretPage, rotatePage } from '../html/pages/key-changes.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { baseOf, keyModes } from '../routing/key-modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';

const schema = Joi.object({});

/** Rotating and revoking keys. */
export function keyChangePages(routes: Routes): void {
  for (const { mode, permission, secondFactor, kind, secretKind } of Object.values(keyModes)) {
    const base = baseOf(mode);
    const common = { audience: 'partner', permission, secondFactor } as const;
    const ofKey = { ...common, params: { credentialId: kind } };
    const ofSecret = { ...common, params: { secretId: secretKind } };

    const rotating = { ...ofKey, path: `${base}/:credentialId/rotate` };
    routes.page(rotating, showRotate(mode));
    routes.action(rotating, { schema, act: rotate(mode), retry: showRotate(mode) });

    const revoking = { ...ofKey, path: `${base}/:credentialId/revoke` };
    routes.page(revoking, showRevoke(mode));
    routes.action(revoking, { schema, act: revoke(mode), retry: showRevoke(mode) });

    const revokingSecret = { ...ofSecret, path: `${base}/secrets/:secretId/revoke` };
    routes.page(revokingSecret, showRevokeSecret(mode));
    routes.action(revokingSecret, {
      schema,
      act: revokeOneSecret(mode),
      retry: showRevokeSecret(mode),
    });
  }
}

const keyOf = (ctx: PageContext<'partner'>, deps: PageDeps, mode: Mode): Promise<CredentialDoc> =>
  findOwnKey(deps, ownScope(ctx), param(ctx, 'credentialId'), mode);

const keyOfSecret = (
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  mode: Mode,
): Promise<CredentialDoc> => findOwnKeyOfSecret(deps, ownScope(ctx), param(ctx, 'secretId'), mode);

const showRotate =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, filled = emptyForm): Promise<void> =>
    render(ctx, rotatePage(ctx, await keyOf(ctx, deps, mode), filled));

const rotate =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const { _id: credentialId } = await keyOf(ctx, deps, mode);
    const made = await execute(deps, rotateCredential, actorOf(ctx), { credentialId });
    await revealKey(deps, ctx, 'Your new secret', made);
  };

const showRevoke =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, filled = emptyForm): Promise<void> =>
    render(ctx, revokePage(ctx, await keyOf(ctx, deps, mode), filled));

const revoke =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const { _id: credentialId } = await keyOf(ctx, deps, mode);
    await execute(deps, revokeCredential, actorOf(ctx), { credentialId });
    redirect(ctx, `/keys/${credentialId}`, 'Key revoked. It stops working within seconds.');
  };

const showRevokeSecret =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, filled = emptyForm): Promise<void> => {
    const key = await keyOfSecret(ctx, deps, mode);
    render(ctx, revokeSecretPage(ctx, key, param(ctx, 'secretId'), filled));
  };

const revokeOneSecret =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const secretId = param(ctx, 'secretId');
    const { _id: credentialId } = await keyOfSecret(ctx, deps, mode);
    await execute(deps, revokeSecret, actorOf(ctx), { credentialId, secretId });
    redirect(ctx, `/keys/${credentialId}`, 'Secret revoked. It stops working within seconds.');
  };
