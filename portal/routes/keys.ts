import Joi from 'joi';
import { maxActiveSecrets } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/events.ts';
import type { PartnerPermission } from '../../domain/partner-roles.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { createCredential } from '../../models/commands/create-credential.ts';
import type { RevealedSecret } from '../../models/commands/new-secret.ts';
import { revokeCredential } from '../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../models/commands/revoke-secret.ts';
import { rotateSecret } from '../../models/commands/rotate-secret.ts';
import type { CredentialDoc, Scope, SecretDoc } from '../../models/schemas/credential.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled, filledWith } from '../forms.ts';
import {
  badge,
  code,
  codeBlock,
  copyButton,
  emptyState,
  facts,
  linkButton,
  notice,
  pager,
  section,
  table,
} from '../html/components.ts';
import { form, select } from '../html/form.ts';
import { time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { keyTable, lastUseOf } from '../html/key-table.ts';
import { view } from '../html/view.ts';
import { hasPermission } from '../middleware/authorize.ts';
import type { ParamKind } from '../params.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

const crumbs = [['API keys', '/keys']] as const;
/** To choose one from; a partner with more generates the key from the integration's page. */
const maxChoices = 100;

const scopeChoices = {
  both: ['events:write', 'events:read'],
  write: ['events:write'],
  read: ['events:read'],
} as const satisfies Record<string, readonly Scope[]>;
type ScopeChoice = keyof typeof scopeChoices;

const newSchema = Joi.object<{ integrationId: string; scopes: ScopeChoice }>({
  integrationId: Joi.string()
    .max(64)
    .required()
    .messages({ 'any.required': 'Choose an integration.' }),
  scopes: Joi.string()
    .valid(...Object.keys(scopeChoices))
    .default('both')
    .messages({ 'any.only': 'Choose what the key may do.' }),
});
const nothingToFill = Joi.object({});

/** What stands between a mode and its keys: a permission, and in LIVE the second factor. */
const modes = {
  test: {
    mode: 'TEST',
    permission: 'credential.test',
    secondFactor: false,
    kind: 'credential',
    secretKind: 'secret',
  },
  live: {
    mode: 'LIVE',
    permission: 'credential.live',
    secondFactor: true,
    kind: 'liveCredential',
    secretKind: 'liveSecret',
  },
} as const satisfies Record<
  string,
  {
    mode: Mode;
    permission: PartnerPermission;
    secondFactor: boolean;
    kind: ParamKind;
    secretKind: ParamKind;
  }
>;

const permissionOf = (mode: Mode): PartnerPermission =>
  mode === 'LIVE' ? modes.live.permission : modes.test.permission;
const baseOf = (mode: Mode): string => `/keys/${mode.toLowerCase()}`;
const activeSecrets = ({ secrets }: CredentialDoc): SecretDoc[] =>
  secrets.filter(({ revokedAt }) => revokedAt === null);

/** API keys and their signing secrets. TEST and LIVE have paths of their own: others may change them. */
export function keyPages(routes: Routes, deps: PortalDeps): void {
  const { models, config } = deps;

  async function findKey(ctx: PageContext<'partner'>, mode?: Mode): Promise<CredentialDoc> {
    const partnerId = ctx.state.viewer.partner._id;
    const _id = param(ctx, 'credentialId');
    const key = await models.credentials.findOne({ partnerId, _id, ...(mode && { mode }) }).lean();
    if (key) return key;
    throw new ServiceError('NOT_FOUND', 'There is no such key.');
  }

  async function findKeyOfSecret(
    ctx: PageContext<'partner'>,
    mode: Mode,
    secretId: string,
  ): Promise<CredentialDoc> {
    const partnerId = ctx.state.viewer.partner._id;
    const key = await models.credentials
      .findOne({ partnerId, mode, 'secrets.secretId': secretId })
      .lean();
    if (key) return key;
    throw new ServiceError('NOT_FOUND', 'There is no such secret.');
  }

  async function namesOf(partnerId: string, ids: readonly string[]) {
    const found = await models.integrations
      .find({ partnerId, _id: { $in: [...new Set(ids)] } }, { name: 1 })
      .lean();
    const names = new Map(found.map(({ _id, name }) => [_id, name]));
    return (integrationId: string): string => names.get(integrationId) ?? integrationId;
  }

  routes.page({ path: '/keys', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const { items, nextCursor } = await page(
      models.credentials,
      [{ partnerId }],
      queryOf(ctx, pageSchema),
      (key) => key,
    );
    const nameOf = await namesOf(
      partnerId,
      items.map(({ integrationId }) => integrationId),
    );
    const newTest = hasPermission(viewer, 'credential.test')
      ? linkButton(
          '/keys/test/new',
          'Generate a TEST key',
          items.length === 0 ? 'primary' : 'secondary',
        )
      : nothing;
    const newLive = hasPermission(viewer, 'credential.live')
      ? linkButton(
          '/keys/live/new',
          'Generate a LIVE key',
          viewer.partner.goLive.state === 'LIVE' ? 'primary' : 'secondary',
        )
      : nothing;
    view(
      ctx,
      {
        title: 'API keys',
        lead: 'A key says who sends, and its secret signs. LIVE keys make real rewards.',
        actions: items.length === 0 ? nothing : html`${newTest}${newLive}`,
      },
      html`<section class="card">${keyTable(
        items,
        emptyState(
          'No key yet',
          'Generate a TEST key first. Its secret is shown once, so have your secret store at hand.',
          newTest,
        ),
        nameOf,
      )}${pager(ctx, nextCursor)}</section>`,
      section('With a key in hand', wayOn()),
    );
  });

  for (const { mode, permission, secondFactor, kind, secretKind } of Object.values(modes)) {
    const base = baseOf(mode);
    const common = { audience: 'partner', permission, secondFactor } as const;

    const creating = { ...common, path: `${base}/new` };
    const showThisNew = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showNew(ctx, mode, filled);
    routes.page(creating, (ctx) => showThisNew(ctx));
    routes.action(creating, {
      schema: newSchema,
      async act(ctx, { integrationId, scopes }) {
        const partnerId = ctx.state.viewer.partner._id;
        const fields = { partnerId, integrationId, mode, scopes: [...scopeChoices[scopes]] };
        const { partnerId: _, ...details } = fields;
        const made = await deed(
          deps,
          ctx,
          { action: 'credential.create', partnerId, targetId: null, details },
          () => createCredential(deps, fields),
          ({ credential, secretId }) => ({ targetId: credential._id, details: { secretId } }),
        );
        showSecret(ctx, `Your new ${mode} key`, made);
      },
      retry: showThisNew,
    });

    const ofKey = { ...common, params: { credentialId: kind } };
    const rotating = { ...ofKey, path: `${base}/:credentialId/rotate` };
    const showThisRotate = (ctx: PageContext<'partner'>, filled?: Filled) =>
      showRotate(ctx, mode, filled);
    routes.page(rotating, (ctx) => showThisRotate(ctx));
    routes.action(rotating, {
      schema: nothingToFill,
      async act(ctx) {
        const { _id: targetId, partnerId } = await findKey(ctx, mode);
        const made = await deed(
          deps,
          ctx,
          { action: 'credential.rotate', partnerId, targetId },
          () => rotateSecret(deps, targetId),
          ({ secretId }) => ({ details: { secretId } }),
        );
        showSecret(ctx, 'Your new secret', made);
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
        const { _id: targetId, partnerId } = await findKey(ctx, mode);
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
        const { _id: targetId, partnerId } = await findKeyOfSecret(ctx, mode, secretId);
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

  async function showNew(ctx: PageContext<'partner'>, mode: Mode, given?: Filled) {
    const { partner } = ctx.state.viewer;
    const title = `Generate a ${mode} key`;
    if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
      return view(
        ctx,
        { title, crumbs },
        emptyState(
          'LIVE keys come with go-live',
          'They make real rewards, which you pay for: so they can be generated once your go-live is approved, and not before.',
          linkButton('/go-live', 'See what is missing'),
        ),
      );
    }
    const integrations = await models.integrations
      .find({ partnerId: partner._id }, { name: 1 })
      .sort({ _id: -1 })
      .limit(maxChoices)
      .lean();
    if (integrations.length === 0) {
      return view(
        ctx,
        { title, crumbs, mode },
        emptyState(
          'A key belongs to an integration',
          'Make one first: it takes a name and nothing else.',
          linkButton('/integrations/new', 'New integration'),
        ),
      );
    }
    const asked = typeof ctx.query.integration === 'string' ? ctx.query.integration : undefined;
    const filled =
      given ?? (asked === undefined ? emptyForm : filledWith({ integrationId: asked }));
    view(
      ctx,
      {
        ...{ title, crumbs, mode },
        lead: 'The next page shows the secret, once. Have your secret store open.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: `${baseOf(mode)}/new`, submit: `Generate the ${mode} key`, filled },
        select({
          ...{ name: 'integrationId', label: 'Integration', filled },
          choices: integrations.map(({ _id, name }) => ({ value: _id, text: name })),
        }),
        select({
          ...{ name: 'scopes', label: 'The key may', filled, chosen: 'both' },
          hint: 'Events are purchases and refunds. Plans, usage and billing are read.',
          choices: [
            { value: 'both', text: 'Send events and read' },
            { value: 'write', text: 'Send events' },
            { value: 'read', text: 'Read' },
          ],
        }),
      )}</div>`,
    );
  }

  /** The one page with a secret in clear: the answer to the form itself, which no browser keeps. */
  function showSecret(
    ctx: PageContext<'partner'>,
    title: string,
    { credential, secret }: RevealedSecret,
  ): void {
    const { _id, apiKey, mode } = credential;
    ctx.status = 201;
    view(
      ctx,
      { title, mode, crumbs: [...crumbs, [shortOf(credential), `/keys/${_id}`]] },
      notice(
        'warn',
        html`<strong>This secret is shown once.</strong> We keep it sealed and cannot show it again. Store it before you leave this page; whoever has it can send in your name.`,
      ),
      section(
        'Key and secret',
        html`<dl class="reveal"><div><dt>API key</dt><dd><code>${apiKey}</code>${copyButton(apiKey)}</dd></div>
<div><dt>Secret</dt><dd><code>${secret}</code>${copyButton(secret)}</dd></div></dl>`,
      ),
      section(
        'As environment',
        codeBlock(environment(config.portal.apiUrl, apiKey, secret), 'Environment variables'),
      ),
      section('Next', wayOn()),
    );
  }

  routes.page(
    {
      path: '/keys/:credentialId',
      params: { credentialId: 'credential' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const { viewer } = ctx.state;
      const key = await findKey(ctx);
      const { _id, mode, partnerId, integrationId, apiKey } = key;
      const nameOf = await namesOf(partnerId, [integrationId]);
      const mayChange = hasPermission(viewer, permissionOf(mode)) && key.revokedAt === null;
      const path = `${baseOf(mode)}/${_id}`;
      view(
        ctx,
        {
          ...{ title: `${mode} key`, crumbs, mode },
          actions: mayChange
            ? html`${linkButton(`${path}/rotate`, 'Rotate the secret', 'secondary')}`
            : nothing,
        },
        key.revokedAt
          ? notice(
              'bad',
              html`This key was revoked on ${time(key.revokedAt)}. Requests under it are refused.`,
            )
          : nothing,
        section(
          'Key',
          facts([
            ['API key', code(apiKey, { canCopy: true })],
            [
              'Integration',
              html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`,
            ],
            ['Scopes', key.scopes.map((scope) => html`${code(scope)} `)],
            ['Last used', time(lastUseOf(key), 'never')],
            ['Made', time(key.createdAt)],
            ['Id', code(_id, { canCopy: true })],
          ]),
        ),
        section(
          'Secrets',
          table({
            caption: 'Secrets',
            columns: [
              { heading: 'Secret', cell: ({ secretId }) => code(secretId) },
              {
                heading: 'State',
                cell: ({ revokedAt }) => badge(revokedAt || key.revokedAt ? 'REVOKED' : 'ACTIVE'),
              },
              { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
              { heading: 'Made', cell: ({ createdAt }) => time(createdAt) },
              {
                heading: '',
                cell: ({ secretId, revokedAt }) =>
                  mayChange && revokedAt === null
                    ? html`<a href="${baseOf(mode)}/secrets/${secretId}/revoke">Revoke …</a>`
                    : nothing,
              },
            ],
            rows: key.secrets.toReversed(),
            empty: nothing,
          }),
          html`<p class="muted after">Up to ${maxActiveSecrets} are active at a time: rotate, change over, then revoke the old one once it is used no longer.</p>`,
        ),
        key.revokedAt
          ? nothing
          : section(
              'Use it',
              codeBlock(
                environment(config.portal.apiUrl, apiKey, '<the secret that you stored>'),
                'Environment variables',
              ),
              wayOn(),
            ),
        mayChange
          ? section(
              'Revoke the key',
              html`<p>Ends the key with all its secrets, for good. Requests under it are refused within seconds.</p>`,
              html`<a class="button danger" href="${path}/revoke">Revoke the key …</a>`,
            )
          : nothing,
      );
    },
  );

  async function showRotate(ctx: PageContext<'partner'>, mode: Mode, filled = emptyForm) {
    const key = await findKey(ctx, mode);
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
    const key = await findKey(ctx, mode);
    view(
      ctx,
      { title: 'Revoke the key', mode, crumbs: crumbsOf(key) },
      html`<div class="card narrow">${lastUseWarning('This key', lastUseOf(key))}
<p>${code(key.apiKey)} stops working within seconds, with all its secrets, and for good.</p>
${form(ctx, {
  ...{ action: `${baseOf(mode)}/${key._id}/revoke`, submit: 'Revoke the key', filled },
  isDangerous: true,
})}</div>`,
    );
  }

  async function showRevokeSecret(ctx: PageContext<'partner'>, mode: Mode, filled = emptyForm) {
    const secretId = param(ctx, 'secretId');
    const key = await findKeyOfSecret(ctx, mode, secretId);
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

const shortOf = ({ mode }: CredentialDoc): string => `${mode} key`;
const crumbsOf = (key: CredentialDoc) => [...crumbs, [shortOf(key), `/keys/${key._id}`]] as const;

function lastUseWarning(what: string, lastUse: Date | null): Html {
  return lastUse === null
    ? notice('info', `${what} was never used.`)
    : notice('warn', html`${what} was last used on ${time(lastUse)}.`);
}

function secretUse(secrets: readonly SecretDoc[]): Html {
  return html`<ul>${secrets.map(
    ({ secretId, lastUsedAt }) =>
      html`<li>${code(secretId)} <span class="muted">last used: ${time(lastUsedAt, 'never')}</span></li>`,
  )}</ul>`;
}

/** What the SDK, its command and the quick starts read. */
function environment(url: string, apiKey: string, secret: string): string {
  return `PARTNER_URL=${url}\nPARTNER_KEY=${apiKey}\nPARTNER_SECRET=${secret}\n`;
}

function wayOn(): Html {
  return html`<p class="way-on">${linkButton('/console', 'Send a request in the test console', 'secondary')}
<a href="/quickstarts">Quick starts</a> <a href="/reference">API reference</a> <a href="/doctor">Signature refused?</a></p>`;
}
