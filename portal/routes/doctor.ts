import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { page, pageSchema } from '../../http/paging.ts';
import {
  findRefusedRequest,
  keptOfCredential,
  knownSecrets,
  listRefusedRequests,
} from '../../models/refused-requests.ts';
import type { CredentialDoc } from '../../models/schemas/credential.ts';
import {
  compareLines,
  diagnose,
  diagnoseGiven,
  type Examined,
  ourString,
} from '../../partner-sdk/doctor/index.ts';
import { type PageContext, param } from '../context.ts';
import { noteRead } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { type Filled, filledWith } from '../forms.ts';
import { findingList, lineList, veiled } from '../html/canonical-lines.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  notice,
  section,
  table,
} from '../html/components.ts';
import { field, form, select, textArea } from '../html/form.ts';
import { number, time } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { pager } from '../html/pager.ts';
import { view } from '../html/view.ts';
import { wayOn } from '../html/way-on.ts';
import { findKey } from '../keys.ts';
import { linesOfText } from '../lines-of-text.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';

const crumbs = [['Signature doctor', '/doctor']] as const;
const common = { audience: 'partner', permission: 'refused-request.read' } as const;
const ofKey = { ...common, params: { credentialId: 'credential' } } as const;

interface Pasted {
  method: 'GET' | 'POST';
  path: string;
  timestamp?: string;
  signature?: string;
  canonical?: string;
  body?: string;
}
const pastedSchema = Joi.object<Pasted>({
  method: Joi.string().valid('GET', 'POST').default('POST'),
  path: Joi.string()
    .max(1_000)
    .pattern(/^\/[\x21-\x7e]*$/)
    .required()
    .messages({
      'any.required': 'Enter the path that you send to.',
      'string.pattern.base': 'Enter the path alone, such as /api/v1/partner/purchases.',
    }),
  timestamp: Joi.string().trim().max(100),
  signature: Joi.string().max(512),
  canonical: linesOfText(4_000),
  body: linesOfText(20_000),
});

/** Why signatures were refused; never what a right one would have been. */
export function doctorPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  const { models, config, now } = deps;

  async function noteLook(
    ctx: PageContext<'partner'>,
    { partnerId, _id: targetId }: CredentialDoc,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    await noteRead(deps, ctx, { action: 'refused-request.read', partnerId, targetId, details });
  }

  routes.page({ ...common, path: '/doctor' }, async (ctx) => {
    const partnerId = ctx.state.viewer.partner._id;
    const { items, nextCursor } = await page(
      models.credentials,
      [{ partnerId }],
      queryOf(ctx, pageSchema),
      (key) => key,
    );
    const kept = await models.refusedRequests.aggregate<{ _id: string; of: number; newest: Date }>([
      { $match: { partnerId, credentialId: { $in: items.map(({ _id }) => _id) } } },
      { $group: { _id: '$credentialId', of: { $sum: 1 }, newest: { $max: '$receivedAt' } } },
    ]);
    const keptOf = new Map(kept.map((one) => [one._id, one]));
    view(
      ctx,
      {
        title: 'Signature doctor',
        lead: 'A signature was refused? Choose the key: each refused request says which line differs from ours, why, and what to do.',
      },
      html`<section class="card">${table({
        caption: 'Keys',
        columns: [
          {
            heading: 'Key',
            cell: ({ _id, apiKey }) =>
              html`<a href="/doctor/${_id}"><span class="clip">${apiKey}</span></a>`,
          },
          { heading: 'Mode', cell: ({ mode }) => badge(mode) },
          {
            heading: 'Refused',
            cell: ({ _id }) => number(keptOf.get(_id)?.of ?? 0),
            isNumber: true,
          },
          { heading: 'Newest', cell: ({ _id }) => time(keptOf.get(_id)?.newest, 'none') },
        ],
        rows: items,
        empty: emptyState(
          'No key yet',
          'A refused request is found by its key. Generate a TEST key, then send your first request.',
          linkButton('/keys', 'To the keys'),
        ),
      })}${pager(ctx, nextCursor)}</section>`,
      section(
        'Not in the list?',
        html`<p>A request whose key nobody knows leaves nothing: check the key header first. On your own machine <code>npm run partner -- doctor</code> compares what you sign before it is sent.</p>
${wayOn(ctx, [
  ['/quickstarts', 'Quick starts'],
  ['/console', 'Test console'],
  ['/reference', 'API reference'],
])}`,
      ),
    );
  });

  routes.page({ ...ofKey, path: '/doctor/:credentialId' }, async (ctx) => {
    const key = await findKey(models, ctx);
    await noteLook(ctx, key);
    const refused = await listRefusedRequests(deps, key);
    const paste = linkButton(`/doctor/${key._id}/paste`, 'Paste what you signed', 'secondary');
    view(
      ctx,
      {
        ...{ title: `Refused under the ${key.mode} key`, crumbs, mode: key.mode },
        lead: html`The newest ${keptOfCredential} of a week, under ${code(key.apiKey)}.`,
        actions: paste,
      },
      html`<section class="card">${table({
        caption: 'Refused requests',
        columns: [
          {
            heading: 'Received',
            cell: ({ requestId, receivedAt }) =>
              html`<a href="/doctor/requests/${requestId}">${time(receivedAt)}</a>`,
          },
          { heading: 'Refused as', cell: ({ code: text }) => code(text) },
          {
            heading: 'Request',
            cell: ({ request: { method, pathname } }) =>
              html`<span class="clip">${method} ${veiled(pathname)}</span>`,
          },
          { heading: 'Request id', cell: ({ requestId }) => code(requestId) },
        ],
        rows: refused,
        empty: emptyState(
          'Nothing was refused',
          'No signature under this key was refused within a week. To check one before you send it, paste what you sign.',
          paste,
        ),
      })}</section>`,
    );
  });

  routes.page(
    { ...common, path: '/doctor/requests/:requestId', params: { requestId: 'refusedRequest' } },
    async (ctx) => {
      const { viewer } = ctx.state;
      const partnerId = viewer.partner._id;
      const requestId = param(ctx, 'requestId');
      const kept = await models.refusedRequests
        .findOne({ partnerId, _id: requestId }, { credentialId: 1 })
        .lean();
      if (!kept) {
        throw new ServiceError(
          'NOT_FOUND',
          `No such refused request is kept. The newest ${keptOfCredential} of a key are, for a week.`,
        );
      }
      const key = await findKey(models, ctx, { _id: kept.credentialId });
      throttle.tryDiagnosis(viewer.user._id);
      await noteLook(ctx, key, { requestId });
      const refused = await findRefusedRequest(deps, key, requestId);
      const { request, receivedAt } = refused;
      const diagnosis = diagnose(request, await knownSecrets(deps, key));
      const theirs = diagnosis?.theirs ?? null;
      view(
        ctx,
        {
          title: 'Why it was refused',
          crumbs: [...crumbs, [`${key.mode} key`, `/doctor/${key._id}`]],
          mode: key.mode,
        },
        section(
          'The cause',
          diagnosis === null
            ? notice(
                'info',
                'The signature itself holds now: a secret or the clock was another then.',
              )
            : findingList(diagnosis.findings),
        ),
        section(
          theirs === null ? 'What we built' : 'Ours beside yours',
          lineList(compareLines(ourString(request), theirs), theirs !== null),
          theirs === null
            ? html`<p class="muted after">What you signed fits nothing that we tried. Print your five lines just before you sign them and <a href="/doctor/${key._id}/paste">paste them here</a>.</p>`
            : legend,
        ),
        section(
          'The request',
          facts([
            ['Received', time(receivedAt)],
            ['Refused as', code(refused.code)],
            ['Method', code(request.method)],
            ['Path', code(veiled(request.pathname))],
            [
              'Query, which is not signed',
              request.query === null
                ? html`<span class="muted">none</span>`
                : code(veiled(request.query)),
            ],
            ['Body', `${request.body.lengthBytes ?? '?'} bytes`],
            ['API key', html`<a href="/keys/${key._id}">${code(key.apiKey)}</a>`],
            ['Request id', code(requestId, { canCopy: true })],
          ]),
        ),
        wayOnFrom(key),
      );
    },
  );

  const pasting = { ...ofKey, path: '/doctor/:credentialId/paste' } as const;
  routes.page(pasting, (ctx) => showPaste(ctx));
  routes.action(pasting, {
    schema: pastedSchema,
    async act(ctx, { body, ...given }) {
      const key = await findKey(models, ctx);
      throttle.tryDiagnosis(ctx.state.viewer.user._id);
      const examined = diagnoseGiven(
        {
          ...given,
          ...(body !== undefined && { body: Buffer.from(body) }),
          host: new URL(config.portal.apiUrl).host,
        },
        await knownSecrets(deps, key),
        now() / 1_000,
      );
      const isGiven = given.signature !== undefined || given.canonical !== undefined;
      await showPaste(ctx, { values: ctx.state.form ?? {}, errors: {} }, { examined, isGiven });
    },
    retry: (ctx, filled) => showPaste(ctx, filled),
  });

  async function showPaste(
    ctx: PageContext<'partner'>,
    filled: Filled = filledWith({ method: 'POST', path: '/api/v1/partner/purchases' }),
    result?: { examined: Examined; isGiven: boolean },
  ): Promise<void> {
    const key = await findKey(models, ctx);
    view(
      ctx,
      {
        title: 'Paste what you signed',
        crumbs: [...crumbs, [`${key.mode} key`, `/doctor/${key._id}`]],
        mode: key.mode,
        lead: html`Compared with what we build for the same request under ${code(key.apiKey)}. Nothing of it is kept.`,
      },
      result ? verdict(result) : nothing,
      section(
        'What you sign and send',
        form(
          ctx,
          { action: `/doctor/${key._id}/paste`, submit: 'Compare', filled },
          select({
            ...{ name: 'method', label: 'Method', filled },
            choices: ['POST', 'GET'].map((value) => ({ value, text: value })),
          }),
          field({ name: 'path', label: 'Path', filled, isRequired: true, maxLength: 1_000 }),
          textArea({
            ...{ name: 'canonical', label: 'The string that you sign', rows: 6, filled },
            ...{ hint: 'The five lines, printed just before they are signed.', maxLength: 4_000 },
          }),
          textArea({
            ...{ name: 'body', label: 'The body', rows: 6, filled, maxLength: 20_000 },
            hint: 'The exact text that you send. Without it line 5 is taken as you give it.',
          }),
          field({ name: 'timestamp', label: 'Timestamp header', filled, maxLength: 100 }),
          field({
            ...{ name: 'signature', label: 'Signature header', filled, maxLength: 512 },
            hint: 'With it we find out what was signed, also where you do not know. Never paste a secret.',
          }),
        ),
      ),
      wayOnFrom(key),
    );
  }
}

function verdict({ examined, isGiven }: { examined: Examined; isGiven: boolean }): Html {
  const { diagnosis, lines } = examined;
  const isTheirsKnown = lines.some(({ theirs }) => theirs !== null);
  const found =
    diagnosis !== null
      ? findingList(diagnosis.findings)
      : isGiven
        ? notice('good', 'Nothing is wrong with what you signed.')
        : notice('info', 'This is the string to sign. Paste yours, or the signature, to compare.');
  return section('What we found', found, lineList(lines, isTheirsKnown), legend);
}

const legend = html`<p class="muted after">Invisible characters are shown: ⟨LF⟩ line feed, ⟨CR⟩ carriage return, ⟨TAB⟩ tab, · blank.</p>`;

function wayOnFrom({ _id, mode }: CredentialDoc): Html {
  return html`<p class="way-on">${linkButton(`/doctor/${_id}`, 'All refused requests', 'secondary')}
${mode === 'TEST' ? html`<a href="/console">Send it signed by us in the test console</a>` : nothing} <a href="/quickstarts">Code that signs, in six languages</a></p>`;
}
