import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import type { Scope } from '../../models/schemas/integrations.ts';
import { integrationChoices } from '../../models/views/integrations.ts';
import { createCredential } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { newKeyPage, noIntegrationYetPage, noLiveKeyYetPage } from '../html/pages/key-new.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { baseOf, keyModes } from '../routing/key-modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { revealKey } from '../session/reveal.ts';

const scopeChoices = {
  both: ['events:write', 'events:read'],
  write: ['events:write'],
  read: ['events:read'],
} as const satisfies Record<string, readonly Scope[]>;
type ScopeChoice = keyof typeof scopeChoices;

interface NewKeyForm {
  integrationId: string;
  scopes: ScopeChoice;
}
const newSchema = Joi.object<NewKeyForm>({
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  scopes: Joi.string()
    .valid(...Object.keys(scopeChoices))
    .default('both')
    .messages({ 'any.only': 'Choose what the key can do.' }),
});

/** Creating a key with its first secret. */
export function newKeyPages(routes: Routes): void {
  for (const { mode, permission, secondFactor } of Object.values(keyModes)) {
    const creating = {
      ...({ audience: 'partner', permission, secondFactor } as const),
      path: `${baseOf(mode)}/new`,
    };
    routes.page(creating, showNew(mode));
    routes.action(creating, { schema: newSchema, act: createKey(mode), retry: showNew(mode) });
  }
}

const showNew =
  (mode: Mode) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps, given?: Filled): Promise<void> => {
    const isLive = ctx.state.viewer.partner.goLive.state === 'LIVE';
    if (mode === 'LIVE' && !isLive) return render(ctx, noLiveKeyYetPage());
    const { integration } = ctx.query;
    const chosenId = typeof integration === 'string' ? integration : undefined;
    const choices = await integrationChoices(deps, ownScope(ctx));
    if (choices.length === 0) return render(ctx, noIntegrationYetPage(mode));
    const filled = given ?? filledWith({ ...(chosenId && { integrationId: chosenId }) });
    render(ctx, newKeyPage(ctx, mode, choices, filled));
  };

const createKey =
  (mode: Mode) =>
  async (
    ctx: PageContext<'partner'>,
    deps: PageDeps,
    { integrationId, scopes }: NewKeyForm,
  ): Promise<void> => {
    const partnerId = ctx.state.viewer.partner._id;
    const fields = { partnerId, integrationId, mode, scopes: [...scopeChoices[scopes]] };
    const made = await execute(deps, createCredential, actorOf(ctx), fields);
    await revealKey(deps, ctx, `Your new ${mode} key`, made);
  };
