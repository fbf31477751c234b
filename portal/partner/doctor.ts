import { setImmediate } from 'node:timers/promises';
import Joi from 'joi';
import {
  compareLines,
  type Diagnosis,
  diagnose,
  diagnoseGiven,
  type Examined,
  ourString,
} from '../../clients/typescript/doctor/index.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import { keptOfCredential, type RefusedRequest } from '../../models/events/refused-requests.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { findOwnKey } from '../../views/integrations.ts';
import {
  findKeyOfRefused,
  findRefusedRequest,
  knownSecrets,
  listRefusedRequests,
  type RefusedByKey,
  readRefusedByKey,
} from '../../views/requests.ts';
import {
  code,
  definitions,
  emptyState,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { findingList, hideSecrets, lineList } from '../components/console.ts';
import { field, form, select, textArea } from '../components/form.ts';
import {
  exactTime,
  type Html,
  html,
  nothing,
  number,
  type Part,
  time,
} from '../components/format.ts';
import { onwardLinks } from '../components/onward-links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { linesOfText } from '../forms/fields.ts';
import { type Filled, filledWith } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { actorOf } from '../operate.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { meaningOf } from '../words/log-words.ts';

/** Only the newest in the list are diagnosed; the others on their own pages. */
const maxDiagnosed = 10;

interface PastedRequest {
  method: 'GET' | 'POST';
  path: string;
  timestamp?: string;
  signature?: string;
  canonical?: string;
  body?: string;
}

const pastedSchema = Joi.object<PastedRequest>({
  method: Joi.string().valid('GET', 'POST').default('POST'),
  path: Joi.string()
    .max(1_000)
    .pattern(/^\/[\x21-\x7e]*$/)
    .required()
    .messages({
      'any.required': 'Enter the path you send to.',
      'string.pattern.base': 'Enter only the path, such as /api/v1/partner/purchases.',
    }),
  timestamp: Joi.string().trim().max(100),
  signature: Joi.string().max(512),
  canonical: linesOfText(4_000),
  body: linesOfText(20_000),
});

export const reading = { permission: 'refused-request.read' } as const;

/** The signature doctor: explains refused signatures, without revealing the correct ones. */
export function doctorPages(routes: RoutesOf<'partner'>): void {
  const path = '/doctor/:credentialId';
  routes.page('/doctor', showKeys, reading);
  routes.page(path, showRefused, reading);
  routes.page('/doctor/requests/:requestId', showDiagnosis, {
    ...reading,
    params: { requestId: 'refusedRequest' },
  });
  routes.page(`${path}/paste`, showPaste, reading);
  routes.action(
    `${path}/paste`,
    { schema: pastedSchema, act: comparePasted, retry: showPaste },
    reading,
  );
}

async function showKeys(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const keys = await readRefusedByKey(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, doctorPage(ctx, keys));
}

async function showRefused(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const key = await keyOf(ctx, deps);
  await recordRead(ctx, deps, key);
  deps.throttle.tryDiagnosis(ctx.state.viewer.user._id);
  const [refused, known] = await Promise.all([
    listRefusedRequests(deps, key),
    knownSecrets(deps, key),
  ]);
  const diagnosed: DiagnosedRequest[] = [];
  for (const one of refused.slice(0, maxDiagnosed)) {
    // Each takes tens of milliseconds: yields to other requests in between.
    await setImmediate();
    diagnosed.push({ ...one, diagnosis: diagnose(one.request, known) });
  }
  render(ctx, refusedPage(key, [...diagnosed, ...refused.slice(maxDiagnosed)]));
}

async function showDiagnosis(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const requestId = param(ctx, 'requestId');
  const key = await findKeyOfRefused(deps, ownScope(ctx), requestId);
  deps.throttle.tryDiagnosis(ctx.state.viewer.user._id);
  await recordRead(ctx, deps, key, { requestId });
  const refused = await findRefusedRequest(deps, key, requestId);
  const diagnosis = diagnose(refused.request, await knownSecrets(deps, key));
  render(ctx, diagnosisPage(key, refused, diagnosis));
}

async function showPaste(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = filledWith({ method: 'POST', path: '/api/v1/partner/purchases' }),
): Promise<void> {
  render(ctx, pastePage(ctx, await keyOf(ctx, deps), filled));
}

async function comparePasted(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { body, ...given }: PastedRequest,
): Promise<void> {
  const { config, now, throttle } = deps;
  const key = await keyOf(ctx, deps);
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
  const filled = { values: ctx.state.form ?? {}, errors: {} };
  render(ctx, pastePage(ctx, key, filled, { examined, isGiven }));
}

const keyOf = (ctx: PageContext<'partner'>, deps: PageDeps): Promise<CredentialDoc> =>
  findOwnKey(deps, ownScope(ctx), param(ctx, 'credentialId'));

/** Records the read in the audit log before encrypted data is shown. */
async function recordRead(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { partnerId, _id: targetId }: CredentialDoc,
  details: Record<string, unknown> = {},
): Promise<void> {
  await auditRead(deps, actorOf(ctx), {
    action: 'refused-request.read',
    partnerId,
    targetId,
    details,
  });
}

const crumbs = () => [['Signature doctor', '/doctor']] as const;

function doctorPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor, keptOf }: RefusedByKey,
): Page {
  return page(
    {
      title: 'Signature doctor',
      lead: 'Signature refused? Choose the key: each refused request shows which line differs from ours, why, and what to do.',
    },
    list(ctx, {
      caption: 'Keys',
      columns: {
        Key: ({ _id, apiKey }) =>
          html`<a href="/doctor/${_id}"><span class="clip">${apiKey}</span></a>`,
        Refused: { number: ({ _id }) => number(keptOf.get(_id)?.of ?? 0) },
        Newest: ({ _id }) => time(keptOf.get(_id)?.newest, 'none'),
      },
      rows: items,
      empty: emptyState(
        'No key yet',
        'Refused requests are listed by key. Generate a TEST key, then send your first request.',
        linkButton('/keys', 'View API keys'),
      ),
      nextCursor,
    }),
    section(
      'Not in the list?',
      html`<p>A request with an unknown key is not listed: check the key header first. On your own machine, <a href="/quickstarts#command">the command</a> <code>node partner-events.mjs doctor</code> compares what you sign before it is sent.</p>
${onwardLinks(ctx, [
  ['/quickstarts', 'Quick starts'],
  ['/console', 'Test console'],
  ['/reference#signing', 'API reference'],
])}`,
    ),
  );
}

/** A row of the list. `diagnosis` is undefined before it is made, and null if the signature is valid by now. */
interface DiagnosedRequest extends RefusedRequest {
  diagnosis?: Diagnosis | null;
}

function refusedPage(key: CredentialDoc, refused: readonly DiagnosedRequest[]): Page {
  const paste = linkButton(`/doctor/${key._id}/paste`, 'Paste what you signed', 'secondary');
  return page(
    {
      title: `Refused with the ${key.mode} key`,
      crumbs: crumbs(),
      mode: key.mode,
      lead: html`The newest ${keptOfCredential} from the past week. The key: ${code(key.apiKey)}`,
      actions: paste,
    },
    html`<section class="card">${table({
      caption: 'Refused requests',
      columns: {
        Received: ({ requestId, receivedAt }) =>
          html`<a href="/doctor/requests/${requestId}">${exactTime(receivedAt)}</a>`,
        Cause: { text: causeOf },
        Refused: { text: ({ code: text }) => meaningOf(text) },
        Request: ({ request: { method, pathname } }) =>
          html`<span class="clip">${method} ${hideSecrets(pathname)}</span>`,
        'Request ID': ({ requestId }) => code(requestId),
      },
      rows: refused,
      empty: emptyState(
        'No refused request is kept',
        'The newest refused requests of the past week are listed here; erasing a customer deletes them all, since any of them may be about that customer. To check a signature before you send it, paste what you sign.',
        paste,
      ),
    })}</section>`,
  );
}

/** The most relevant finding. */
function causeOf({ requestId, diagnosis }: DiagnosedRequest): Part {
  if (diagnosis === undefined)
    return html`<a href="/doctor/requests/${requestId}">Find the cause</a>`;
  if (diagnosis === null) return 'Its signature is valid now.';
  return hideSecrets(diagnosis.findings[0]?.what ?? '');
}

/** @param diagnosis null if the signature is valid by now */
function diagnosisPage(
  key: CredentialDoc,
  refused: RefusedRequest,
  diagnosis: Diagnosis | null,
): Page {
  const { request, receivedAt, requestId } = refused;
  const theirs = diagnosis?.theirs ?? null;
  return page(
    {
      title: 'Why it was refused',
      crumbs: [...crumbs(), [`${key.mode} key`, `/doctor/${key._id}`]],
      mode: key.mode,
    },
    section(
      'The cause',
      diagnosis === null
        ? notice('info', 'The signature is valid now: the secret or the clock was different then.')
        : findingList(diagnosis.findings),
    ),
    section(
      theirs === null ? 'What should be signed' : 'Ours and yours',
      lineList(compareLines(ourString(request), theirs), theirs !== null),
      theirs === null
        ? html`<p class="muted after">What you signed matches none of the usual mistakes. Print your five lines right before you sign them and <a href="/doctor/${key._id}/paste">paste them here</a>.</p>`
        : legend(),
    ),
    section(
      'The request',
      definitions([
        ['Received', exactTime(receivedAt)],
        ['Refused', meaningOf(refused.code)],
        ['Code', code(refused.code)],
        ['Method', code(request.method)],
        ['Path', code(hideSecrets(request.pathname))],
        [
          'Query, which is not signed',
          request.query === null
            ? html`<span class="muted">none</span>`
            : code(hideSecrets(request.query)),
        ],
        ['Body', `${request.body.lengthBytes ?? '?'} bytes`],
        ['API key', html`<a href="/keys/${key._id}">${code(key.apiKey)}</a>`],
        ['Request ID', code(requestId, { canCopy: true })],
      ]),
    ),
    linksFrom(key),
  );
}

/** The result of comparing pasted data. */
interface Comparison {
  examined: Examined;
  /** Whether a signature or a string to sign was entered, to compare with ours. */
  isGiven: boolean;
}

function pastePage(
  ctx: PageContext<'partner'>,
  key: CredentialDoc,
  filled: Filled,
  result?: Comparison,
): Page {
  return page(
    {
      title: 'Paste what you signed',
      crumbs: [...crumbs(), [`${key.mode} key`, `/doctor/${key._id}`]],
      mode: key.mode,
      lead: html`We compare it with what should be signed for the same request, and store none of it. The key: ${code(key.apiKey)}`,
    },
    result ? verdict(result) : nothing,
    section(
      'What you sign and send',
      form(
        ctx,
        { action: `/doctor/${key._id}/paste`, submit: 'Compare', filled },
        select({
          name: 'method',
          label: 'Method',
          filled,
          choices: ['POST', 'GET'].map((value) => ({ value, text: value })),
        }),
        field({
          name: 'path',
          label: 'Path',
          filled,
          isRequired: true,
          maxLength: 1_000,
        }),
        textArea({
          name: 'canonical',
          label: 'The string you sign',
          rows: 6,
          filled,
          hint: 'The five lines, printed right before they are signed.',
          maxLength: 4_000,
        }),
        textArea({
          name: 'body',
          label: 'Body',
          rows: 6,
          filled,
          maxLength: 20_000,
          hint: 'The exact text you send. Without it, line 5 is taken as you provide it.',
        }),
        field({ name: 'timestamp', label: 'Timestamp header', filled, maxLength: 100 }),
        field({
          name: 'signature',
          label: 'Signature header',
          filled,
          maxLength: 512,
          hint: 'Helps us find out what was signed, even if you don’t know. Never paste a secret.',
        }),
      ),
    ),
    linksFrom(key),
  );
}

function verdict({ examined, isGiven }: Comparison): Html {
  const { diagnosis, lines } = examined;
  const isTheirsKnown = lines.some(({ theirs }) => theirs !== null);
  const findings =
    diagnosis !== null
      ? findingList(diagnosis.findings)
      : isGiven
        ? notice('good', 'Nothing is wrong with what you signed.')
        : notice('info', 'This is the string to sign. Paste yours, or the signature, to compare.');
  return section('What we found', findings, lineList(lines, isTheirsKnown), legend());
}

const legend = () =>
  html`<p class="muted after">Invisible characters are shown: ⟨LF⟩ line feed, ⟨CR⟩ carriage return, ⟨TAB⟩ tab, · space.</p>`;

function linksFrom({ _id, mode }: CredentialDoc): Html {
  return html`<p class="way-on">${linkButton(`/doctor/${_id}`, 'All refused requests', 'secondary')}
${mode === 'TEST' ? html`<a href="/console">Send it from the test console, signed by us</a>` : nothing} <a href="/quickstarts">Signing code in six languages</a></p>`;
}
