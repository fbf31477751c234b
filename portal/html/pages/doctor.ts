import {
  compareLines,
  type Diagnosis,
  type Examined,
  ourString,
} from '../../../clients/typescript/doctor/index.ts';
import { keptOfCredential, type RefusedRequest } from '../../../models/events/refused-requests.ts';
import type { CredentialDoc } from '../../../models/schemas/credential.ts';
import type { RefusedByKey } from '../../../models/views/refused-requests.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { findingList, hideSecrets, lineList } from '../canonical-lines.ts';
import { code, emptyState, facts, linkButton, notice, section, table } from '../components.ts';
import { field, form, select, textArea } from '../form.ts';
import { exactTime, number, time } from '../format.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { onwardLinks } from '../onward-links.ts';
import { pager } from '../pager.ts';
import { type Page, page } from '../view.ts';

const crumbs = () => [[say('doctor.signatureDoctor'), '/doctor']] as const;

export function doctorPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor, keptOf }: RefusedByKey,
): Page {
  return page(
    {
      title: say('doctor.title'),
      lead: say('doctor.lead'),
    },
    html`<section class="card">${table({
      caption: say('doctor.caption'),
      columns: [
        {
          heading: say('common.key'),
          cell: ({ _id, apiKey }) =>
            html`<a href="/doctor/${_id}"><span class="clip">${apiKey}</span></a>`,
        },
        {
          heading: say('doctor.refused'),
          cell: ({ _id }) => number(keptOf.get(_id)?.of ?? 0),
          isNumber: true,
        },
        {
          heading: say('doctor.newest'),
          cell: ({ _id }) => time(keptOf.get(_id)?.newest, say('doctor.none')),
        },
      ],
      rows: items,
      empty: emptyState(
        say('doctor.empty.title'),
        say('doctor.empty.text'),
        linkButton('/keys', say('doctor.viewApiKeys')),
      ),
    })}${pager(ctx, nextCursor)}</section>`,
    section(
      say('doctor.section.list'),
      html`<p>${say('doctor.text', { code: tags.code })}</p>
${onwardLinks(ctx, [
  ['/quickstarts', say('doctor.quickStarts')],
  ['/console', say('doctor.testConsole')],
  ['/reference', say('doctor.apiReference')],
])}`,
    ),
  );
}

/** A row of the list. `diagnosis` is undefined before it is made, and null if the signature is valid by now. */
export interface DiagnosedRequest extends RefusedRequest {
  diagnosis?: Diagnosis | null;
}

export function refusedPage(key: CredentialDoc, refused: readonly DiagnosedRequest[]): Page {
  const paste = linkButton(`/doctor/${key._id}/paste`, say('doctor.refused.button'), 'secondary');
  return page(
    {
      title: say('doctor.refused.title', { mode: key.mode }),
      crumbs: crumbs(),
      mode: key.mode,
      lead: say('doctor.refused.lead', { keptOfCredential, apiKey: code(key.apiKey) }),
      actions: paste,
    },
    html`<section class="card">${table({
      caption: say('doctor.refused.caption'),
      columns: [
        {
          heading: say('common.received'),
          cell: ({ requestId, receivedAt }) =>
            html`<a href="/doctor/requests/${requestId}">${exactTime(receivedAt)}</a>`,
        },
        { heading: say('doctor.cause'), cell: causeOf, isText: true },
        { heading: say('doctor.refusedAs'), cell: ({ code: text }) => code(text) },
        {
          heading: say('common.request'),
          cell: ({ request: { method, pathname } }) =>
            html`<span class="clip">${method} ${hideSecrets(pathname)}</span>`,
        },
        { heading: say('doctor.requestId'), cell: ({ requestId }) => code(requestId) },
      ],
      rows: refused,
      empty: emptyState(say('doctor.refused.empty.title'), say('doctor.refused.empty.text'), paste),
    })}</section>`,
  );
}

/** The most relevant finding. */
function causeOf({ requestId, diagnosis }: DiagnosedRequest): Part {
  if (diagnosis === undefined)
    return html`<a href="/doctor/requests/${requestId}">${say('doctor.findTheCause')}</a>`;
  if (diagnosis === null) return say('doctor.cause.text');
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
      title: say('doctor.diagnosis.title'),
      crumbs: [...crumbs(), [say('doctor.key', { mode: key.mode }), `/doctor/${key._id}`]],
      mode: key.mode,
    },
    section(
      say('doctor.section.theCause'),
      diagnosis === null
        ? notice('info', say('doctor.diagnosis.notice'))
        : findingList(diagnosis.findings),
    ),
    section(
      theirs === null ? say('doctor.section.whatWeBuilt') : say('doctor.section.oursBesideYours'),
      lineList(compareLines(ourString(request), theirs), theirs !== null),
      theirs === null
        ? html`<p class="muted after">${say('doctor.diagnosis.text', { link: tags.link(`/doctor/${key._id}/paste`) })}</p>`
        : legend(),
    ),
    section(
      say('doctor.section.theRequest'),
      facts([
        [say('common.received'), exactTime(receivedAt)],
        [say('doctor.refusedAs'), code(refused.code)],
        [say('doctor.method'), code(request.method)],
        [say('doctor.path'), code(hideSecrets(request.pathname))],
        [
          say('doctor.querySigned'),
          request.query === null
            ? html`<span class="muted">${say('doctor.none')}</span>`
            : code(hideSecrets(request.query)),
        ],
        [say('doctor.body'), say('doctor.bytes', { lengthBytes: request.body.lengthBytes ?? '?' })],
        [say('doctor.apiKey'), html`<a href="/keys/${key._id}">${code(key.apiKey)}</a>`],
        [say('doctor.requestId'), code(requestId, { canCopy: true })],
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
      title: say('doctor.paste.title'),
      crumbs: [...crumbs(), [say('doctor.key', { mode: key.mode }), `/doctor/${key._id}`]],
      mode: key.mode,
      lead: say('doctor.paste.lead', { apiKey: code(key.apiKey) }),
    },
    result ? verdict(result) : nothing,
    section(
      say('doctor.section.signSend'),
      form(
        ctx,
        { action: `/doctor/${key._id}/paste`, submit: say('doctor.paste.submit'), filled },
        select({
          name: 'method',
          label: say('doctor.method'),
          filled,
          choices: ['POST', 'GET'].map((value) => ({ value, text: value })),
        }),
        field({
          name: 'path',
          label: say('doctor.path'),
          filled,
          isRequired: true,
          maxLength: 1_000,
        }),
        textArea({
          name: 'canonical',
          label: say('doctor.canonical'),
          rows: 6,
          filled,
          hint: say('doctor.canonical.hint'),
          maxLength: 4_000,
        }),
        textArea({
          name: 'body',
          label: say('doctor.paste.body'),
          rows: 6,
          filled,
          maxLength: 20_000,
          hint: say('doctor.body.hint'),
        }),
        field({ name: 'timestamp', label: say('doctor.timestamp'), filled, maxLength: 100 }),
        field({
          name: 'signature',
          label: say('doctor.signature'),
          filled,
          maxLength: 512,
          hint: say('doctor.signature.hint'),
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
        ? notice('good', say('doctor.verdict.nothingWrong'))
        : notice('info', say('doctor.verdict.stringSign'));
  return section(
    say('doctor.section.whatWeFound'),
    findings,
    lineList(lines, isTheirsKnown),
    legend(),
  );
}

const legend = () => html`<p class="muted after">${say('doctor.legend.text')}</p>`;

function linksFrom({ _id, mode }: CredentialDoc): Html {
  return html`<p class="way-on">${linkButton(`/doctor/${_id}`, say('doctor.allRefusedRequests'), 'secondary')}
${mode === 'TEST' ? html`<a href="/console">${say('doctor.linksFrom.sendSigned')}</a>` : nothing} <a href="/quickstarts">${say('doctor.linksFrom.codeSigns')}</a></p>`;
}
