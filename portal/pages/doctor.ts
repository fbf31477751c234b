import {
  compareLines,
  type Diagnosis,
  type Examined,
  ourString,
} from '../../clients/typescript/doctor/index.ts';
import { keptOfCredential, type RefusedRequest } from '../../models/events/refused-requests.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import type { RefusedByKey } from '../../views/requests.ts';
import {
  code,
  emptyState,
  facts,
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
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { meaningOf } from '../words/log-words.ts';

const crumbs = () => [['Signature doctor', '/doctor']] as const;

export function doctorPage(
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
export interface DiagnosedRequest extends RefusedRequest {
  diagnosis?: Diagnosis | null;
}

export function refusedPage(key: CredentialDoc, refused: readonly DiagnosedRequest[]): Page {
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
export function diagnosisPage(
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
      facts([
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
export interface Comparison {
  examined: Examined;
  /** Whether a signature or a string to sign was entered, to compare with ours. */
  isGiven: boolean;
}

export function pastePage(
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
