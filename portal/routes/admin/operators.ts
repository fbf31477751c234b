import Joi from 'joi';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import { type Role, roles } from '../../../domain/operator-roles.ts';
import { page, pageSchema } from '../../../http/paging.ts';
import type { OperatorFields } from '../../../models/commands/create-operator.ts';
import { findOperator } from '../../../models/commands/find-operator.ts';
import { revokeOperator } from '../../../models/commands/revoke-operator.ts';
import { revokeOperatorToken } from '../../../models/commands/revoke-operator-token.ts';
import { rotateOperatorToken } from '../../../models/commands/rotate-operator-token.ts';
import type { AdminDoc, OperatorTokenDoc } from '../../../models/schemas/admin.ts';
import { newId } from '../../../platform/ids.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { emailField, nameField } from '../../fields.ts';
import { emptyForm, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
  wordsOf,
} from '../../html/components.ts';
import { confirm, field, form, hidden, select } from '../../html/form.ts';
import { day, time } from '../../html/format.ts';
import { type Html, html, nothing, type Part } from '../../html/html.ts';
import { adminPaths, to } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { lastUseOf } from '../../last-use.ts';
import { queryOf } from '../../query.ts';
import { revealDone } from '../../reveal.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

const role = Joi.string()
  .valid(...roles)
  .required()
  .messages({ 'any.required': 'Choose a role.', 'any.only': 'Choose a role.' });
const createSchema = Joi.object<OperatorFields>({
  name: nameField.required(),
  role,
  email: emailField,
});
const roleSchema = Joi.object<{ role: Role }>({ role });
const tokenSchema = Joi.object<{ tokenId: string }>({ tokenId: Joi.string().max(64).required() });

const roleChoices = roles.map((value) => ({ value, text: wordsOf(value) }));
const roleHint =
  'A viewer reads; support also decides reviews; finance also moves money; an admin may do everything.';

/** The operators: who they are, what each may do, and their tokens for the API. */
export function adminOperatorPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, config, now } = deps;
  const { tokenDays } = config.admin;

  routes.page(
    { path: '/admin/operators', audience: 'operator', permission: 'operator.read' },
    async (ctx) => {
      const { items, nextCursor } = await page(
        models.admins,
        [],
        queryOf(ctx, pageSchema),
        (operator) => operator,
      );
      view(
        ctx,
        {
          title: 'Operators',
          lead: roleHint,
          actions: linkButton('/admin/operators/new', 'New operator'),
        },
        html`<section class="card">${table({
          caption: 'Operators',
          columns: [
            { heading: 'Name', cell: ({ _id, name }) => to('OPERATOR', _id, name) },
            { heading: 'Role', cell: (one) => badge(one.role) },
            {
              heading: 'State',
              cell: ({ revokedAt }) => badge(revokedAt ? 'REVOKED' : 'ACTIVE'),
            },
            {
              heading: 'Last asked the API',
              cell: ({ tokens }) => time(lastUseOf(tokens), 'never'),
            },
            { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
          ],
          rows: items,
          empty: nothing,
        })}${pager(ctx, nextCursor)}</section>`,
      );
    },
  );

  const creating = {
    path: '/admin/operators/new',
    audience: 'operator',
    permission: 'operator.create',
    secondFactor: true,
  } as const;

  async function showNew(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    view(
      ctx,
      { title: 'New operator', crumbs: [['Operators', '/admin/operators']] },
      html`<div class="card narrow">${form(
        ctx,
        { action: creating.path, submit: 'Make the operator', filled },
        field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
        field({
          ...{ name: 'email', label: 'E-mail', type: 'email', filled, maxLength: 255 },
          ...{
            autocomplete: 'off',
            hint: 'Signs in to the portal with it. Without one, there is the API alone.',
          },
        }),
        select({
          ...{ name: 'role', label: 'Role', choices: roleChoices, chosen: 'viewer', filled },
          hint: config.fourEyes.isOn
            ? `${roleHint} Above viewer, a second operator has to approve.`
            : roleHint,
        }),
      )}</div>`,
    );
  }

  routes.page(creating, (ctx) => showNew(ctx));
  routes.action(creating, {
    schema: createSchema,
    async act(ctx, asked) {
      await undertake(fourEyes, ctx, 'operator.create', asked, (outcome) =>
        revealDone(deps, ctx, { action: 'operator.create', asked, outcome }),
      );
    },
    retry: showNew,
  });

  const ofOperator = {
    path: '/admin/operators/:operatorId',
    params: { operatorId: 'operator' },
    audience: 'operator',
  } as const;

  async function show(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const operator = await findOperator(models, param(ctx, 'operatorId'));
    const user = await models.users.findOne({ adminId: operator._id, disabledAt: null }).lean();
    const path = adminPaths.OPERATOR + operator._id;
    const isActive = operator.revokedAt === null;
    const isSelf = operator._id === ctx.state.viewer.actorId;
    view(
      ctx,
      {
        title: operator.name,
        crumbs: [['Operators', '/admin/operators']],
        lead: html`${badge(operator.role)} ${badge(isActive ? 'ACTIVE' : 'REVOKED')}`,
      },
      section(
        'Operator',
        facts([
          ['Signs in as', user?.email ?? 'not in the portal'],
          ['Second factor', user?.secondFactor ? 'set up' : 'not set up'],
          ['Since', time(operator.createdAt)],
          ['Revoked', time(operator.revokedAt)],
          ['What they did', html`<a href="/admin/audit?actor=${operator._id}">Audit trail</a>`],
          ['Id', code(operator._id, { canCopy: true })],
        ]),
      ),
      isActive
        ? section(
            'Role',
            form(
              ctx,
              { action: `${path}/role`, submit: 'Save the role', filled },
              select({
                ...{ name: 'role', label: 'Role', choices: roleChoices, filled },
                ...{ chosen: operator.role, hint: roleHint },
              }),
            ),
          )
        : nothing,
      section(
        'Tokens for the API',
        tokenTable(ctx, operator, `${path}/tokens/revoke`),
        isActive && !isSelf
          ? html`${needsTwo(config.fourEyes, { action: 'operator.rotate-token' }) ? twoNotice : nothing}${form(
              ctx,
              { action: `${path}/tokens`, submit: 'Make one more token' },
            )}`
          : nothing,
        isSelf ? html`<p class="after"><a href="/admin/tokens">Your own tokens</a></p>` : nothing,
      ),
      isActive && !isSelf && user?.secondFactor
        ? section(
            'Second factor',
            needsTwo(config.fourEyes, {
              action: 'operator.reset-second-factor',
              role: operator.role,
            })
              ? twoNotice
              : nothing,
            confirm(ctx, {
              ...{ ask: 'Reset the second factor …', submit: 'Reset it' },
              action: `${path}/second-factor/reset`,
              question: `Do this when ${operator.name} has lost the phone and the recovery codes, and has told you so in person. They are signed out everywhere, get a mail, and set up another one.`,
            }),
          )
        : nothing,
      isActive
        ? section(
            'Revoke',
            confirm(ctx, {
              ...{ ask: 'Revoke …', action: `${path}/revoke`, submit: 'Revoke' },
              question: `${operator.name} is signed out everywhere, and every token ends, at once and for good.`,
            }),
          )
        : nothing,
    );
  }

  function tokenTable(
    ctx: PageContext<'operator'>,
    { tokens, revokedAt }: AdminDoc,
    revokePath: string,
  ): Html {
    const stateOf = (token: OperatorTokenDoc): string => {
      if (token.revokedAt || revokedAt) return 'REVOKED';
      return token.expiresAt.getTime() <= now() ? 'EXPIRED' : 'ACTIVE';
    };
    return table({
      caption: 'Tokens',
      columns: [
        { heading: 'Token', cell: ({ tokenId }: OperatorTokenDoc) => code(tokenId) },
        { heading: 'State', cell: (token) => badge(stateOf(token)) },
        { heading: 'Last used', cell: ({ lastUsedAt }) => time(lastUsedAt, 'never') },
        { heading: 'From', cell: ({ lastUsedFrom }): Part => lastUsedFrom ?? '–' },
        { heading: 'Ends', cell: ({ expiresAt }) => day(expiresAt) },
        {
          heading: '',
          cell: (token) =>
            stateOf(token) === 'ACTIVE'
              ? form(
                  ctx,
                  { action: revokePath, submit: 'Revoke', isInline: true, isDangerous: true },
                  hidden('tokenId', token.tokenId),
                )
              : nothing,
        },
      ],
      rows: tokens.toReversed(),
      empty: emptyState('No token', 'A token asks the operators’ API.'),
    });
  }

  routes.page({ ...ofOperator, permission: 'operator.read', secondFactor: true }, (ctx) =>
    show(ctx),
  );

  routes.action(
    {
      ...ofOperator,
      path: `${ofOperator.path}/role`,
      permission: 'operator.change-role',
      secondFactor: true,
    },
    {
      schema: roleSchema,
      async act(ctx, { role: wanted }) {
        const { _id: operatorId, role: from } = await findOperator(
          models,
          param(ctx, 'operatorId'),
        );
        const asked = { operatorId, from, to: wanted };
        await undertake(fourEyes, ctx, 'operator.change-role', asked, () =>
          redirect(ctx, adminPaths.OPERATOR + operatorId, 'The role is changed.'),
        );
      },
      retry: show,
    },
  );

  routes.action(
    {
      ...ofOperator,
      path: `${ofOperator.path}/tokens`,
      permission: 'operator.rotate-token',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: operatorId } = await findOperator(models, param(ctx, 'operatorId'));
        const asked = { operatorId };
        await undertake(fourEyes, ctx, 'operator.rotate-token', asked, (outcome) =>
          revealDone(deps, ctx, { action: 'operator.rotate-token', asked, outcome }),
        );
      },
      retry: show,
    },
  );

  routes.action(
    {
      ...ofOperator,
      path: `${ofOperator.path}/tokens/revoke`,
      permission: 'operator.revoke-token',
      secondFactor: true,
    },
    {
      schema: tokenSchema,
      async act(ctx, { tokenId }) {
        const { _id: targetId } = await findOperator(models, param(ctx, 'operatorId'));
        await deed(
          deps,
          ctx,
          { action: 'operator.revoke-token', partnerId: null, targetId, details: { tokenId } },
          () => revokeOperatorToken(deps, targetId, tokenId),
        );
        redirect(ctx, adminPaths.OPERATOR + targetId, 'The token is revoked.');
      },
      retry: show,
    },
  );

  routes.action(
    {
      ...ofOperator,
      path: `${ofOperator.path}/second-factor/reset`,
      permission: 'operator.reset-second-factor',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: operatorId } = await findOperator(models, param(ctx, 'operatorId'));
        await undertake(fourEyes, ctx, 'operator.reset-second-factor', { operatorId }, () =>
          redirect(ctx, adminPaths.OPERATOR + operatorId, 'The second factor is reset.'),
        );
      },
      retry: show,
    },
  );

  routes.action(
    {
      ...ofOperator,
      path: `${ofOperator.path}/revoke`,
      permission: 'operator.revoke',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { _id: targetId, name } = await findOperator(models, param(ctx, 'operatorId'));
        await deed(deps, ctx, { action: 'operator.revoke', partnerId: null, targetId }, () =>
          revokeOperator(deps, targetId),
        );
        redirect(ctx, '/admin/operators', `${name} is revoked.`);
      },
    },
  );

  routes.page(
    { path: '/admin/tokens', audience: 'operator', permission: 'own-token.rotate' },
    (ctx) => showOwn(ctx),
  );

  async function showOwn(ctx: PageContext<'operator'>, filled?: Filled): Promise<void> {
    const operator = await findOperator(models, ctx.state.viewer.actorId);
    view(
      ctx,
      {
        title: 'Your tokens',
        lead: 'With one you ask the operators’ API, and use npm run admin.',
        crumbs: [['Account', '/account']],
      },
      section('Tokens', tokenTable(ctx, operator, '/admin/tokens/revoke')),
      section(
        'One more',
        html`<p class="muted">Two can be active, so that you change over. It ends after ${tokenDays} days.</p>`,
        form(ctx, { action: '/admin/tokens', submit: 'Make a token', ...(filled && { filled }) }),
      ),
    );
  }

  routes.action(
    {
      path: '/admin/tokens',
      audience: 'operator',
      permission: 'own-token.rotate',
      secondFactor: true,
    },
    {
      schema: Joi.object({}),
      async act(ctx) {
        const { actorId: operatorId } = ctx.state.viewer;
        const tokenId = newId('operatorToken');
        const outcome = await deed(
          deps,
          ctx,
          {
            ...{ action: 'own-token.rotate', partnerId: null, targetId: operatorId },
            details: { tokenId },
          },
          () => rotateOperatorToken(deps, operatorId, { tokenDays, tokenId }),
        );
        await revealDone(deps, ctx, {
          ...{ action: 'operator.rotate-token', asked: { operatorId }, outcome },
        });
      },
      retry: showOwn,
    },
  );

  routes.action(
    {
      path: '/admin/tokens/revoke',
      audience: 'operator',
      permission: 'own-token.revoke',
      secondFactor: true,
    },
    {
      schema: tokenSchema,
      async act(ctx, { tokenId }) {
        const { actorId: targetId } = ctx.state.viewer;
        await deed(
          deps,
          ctx,
          { action: 'own-token.revoke', partnerId: null, targetId, details: { tokenId } },
          () => revokeOperatorToken(deps, targetId, tokenId),
        );
        redirect(ctx, '/admin/tokens', 'The token is revoked.');
      },
      retry: showOwn,
    },
  );
}
