import {
  type OrderFault,
  type OrderFaultKind,
  orderFaultKinds,
} from '../../domain/order-comparison.ts';
import type { ComparisonJob, ComparisonResult } from '../../models/schemas/job.ts';
import { type PlainKey, say } from '../words/say.ts';
import { notice, section, table } from './components.ts';
import { number, numberText, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { type Metric, metrics } from './metrics.ts';

interface FaultWords {
  name: PlainKey;
  /** Shown under the count. */
  note: PlainKey;
  /** Explanation and advice. */
  text: PlainKey;
}

const faultWords: Record<OrderFaultKind, FaultWords> = {
  MISSING: {
    name: 'comparison.missing',
    note: 'comparison.fault.note.fileReported',
    text: 'comparison.fault.ordersFile',
  },
  NOT_IN_FILE: {
    name: 'comparison.fault.file',
    note: 'comparison.fault.note.reportedFile',
    text: 'comparison.fault.ordersReported',
  },
  DUPLICATE: {
    name: 'comparison.duplicate',
    note: 'comparison.fault.note.moreOnce',
    text: 'comparison.fault.ordersAppear',
  },
  MISMATCHED: {
    name: 'comparison.mismatched',
    note: 'comparison.fault.note.reportedDifferently',
    text: 'comparison.fault.ordersReportedValues',
  },
};

/** The results of a comparison: counts, the first rows of each kind of fault, and all of them as CSV. */
export function comparisonResults(
  { _id, input, expiresAt }: ComparisonJob,
  { matched, faults, examples, isCut }: ComparisonResult,
): Html {
  const kinds = orderFaultKinds.filter((kind) => kind !== 'NOT_IN_FILE' || input.range !== null);
  const isClean = kinds.every((kind) => faults[kind] === 0);
  const figures: Metric[] = [
    {
      name: say('comparison.theSame'),
      value: numberText(matched),
      note: say('comparison.found.note', { rows: numberText(input.rows) }),
    },
    ...kinds.map((kind) => ({
      name: say(faultWords[kind].name),
      value: numberText(faults[kind]),
      note: say(faultWords[kind].note),
    })),
  ];
  return html`${metrics(figures)}
${isClean ? notice('good', say('comparison.found.notice')) : downloadLink(_id, isCut)}
${kinds.map((kind) => faultSection(kind, faults[kind], examples))}
<p class="muted">${say('comparison.keptUntil', { expiresAt: time(expiresAt) })}</p>`;
}

function downloadLink(jobId: string, isCut: boolean): Html {
  return html`<div class="take-home"><a class="button primary" href="/reconciliation/${jobId}/faults.csv" download>${say('comparison.download.link')}</a>
<span class="muted">${isCut ? say('comparison.download.moreFound') : say('comparison.download.eachRow')}</span></div>`;
}

function faultSection(kind: OrderFaultKind, count: number, examples: readonly OrderFault[]): Html {
  if (count === 0) return nothing;
  const name = say(faultWords[kind].name);
  const shown = examples.filter((one) => one.kind === kind);
  const isInFile = kind !== 'NOT_IN_FILE';
  return section(
    name,
    html`<p class="muted">${say(faultWords[kind].text)}${count > shown.length ? html` ${say('comparison.theFirstOf', { shown: number(shown.length), count: number(count) })}` : nothing}</p>`,
    html`<div class="faults">${table({
      caption: name,
      columns: [
        ...(isInFile
          ? [{ heading: say('comparison.row'), cell: ({ row }: OrderFault) => number(row ?? 0) }]
          : []),
        {
          heading: say('common.order'),
          cell: ({ externalOrderId, eventId }) => {
            const order = html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`;
            return eventId === null ? order : html`<a href="/events/${eventId}">${order}</a>`;
          },
        },
        { heading: say('comparison.whatIsWrong'), cell: ({ what }) => what, isText: true },
      ],
      rows: shown,
      empty: nothing,
    })}</div>`,
  );
}
