import {
  type OrderFault,
  type OrderFaultKind,
  orderFaultKinds,
} from '../../domain/order-comparison.ts';
import type { ComparisonJob, ComparisonResult } from '../../models/schemas/job.ts';
import { say } from '../words/say.ts';
import { notice, section, table } from './components.ts';
import { number, numberText, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { type Metric, metrics } from './metrics.ts';

interface FaultWords {
  name: string;
  /** In short, under the count. */
  note: string;
  /** What it means, and what to do. */
  text: string;
}

const faultWords = (): Record<OrderFaultKind, FaultWords> => ({
  MISSING: {
    name: say('comparison.missing'),
    note: say('comparison.fault.note.fileReported'),
    text: say('comparison.fault.ordersFile'),
  },
  NOT_IN_FILE: {
    name: say('comparison.fault.file'),
    note: say('comparison.fault.note.reportedFile'),
    text: say('comparison.fault.ordersReported'),
  },
  DUPLICATE: {
    name: say('comparison.duplicate'),
    note: say('comparison.fault.note.moreOnce'),
    text: say('comparison.fault.ordersAppear'),
  },
  MISMATCHED: {
    name: say('comparison.mismatched'),
    note: say('comparison.fault.note.reportedDifferently'),
    text: say('comparison.fault.ordersReportedValues'),
  },
});

/** What a comparison found: counts, the first of each kind of fault, and all of them as CSV. */
export function comparisonFound(
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
      name: faultWords()[kind].name,
      value: numberText(faults[kind]),
      note: faultWords()[kind].note,
    })),
  ];
  return html`${metrics(figures)}
${isClean ? notice('good', say('comparison.found.notice')) : takeHome(_id, isCut)}
${kinds.map((kind) => faultSection(kind, faults[kind], examples))}
<p class="muted">${say('comparison.keptUntil', { expiresAt: time(expiresAt) })}</p>`;
}

function takeHome(jobId: string, isCut: boolean): Html {
  return html`<div class="take-home"><a class="button primary" href="/reconciliation/${jobId}/faults.csv" download>${say('comparison.takeHome.link')}</a>
<span class="muted">${isCut ? say('comparison.takeHome.moreFound') : say('comparison.takeHome.eachRow')}</span></div>`;
}

function faultSection(kind: OrderFaultKind, count: number, examples: readonly OrderFault[]): Html {
  if (count === 0) return nothing;
  const { name, text } = faultWords()[kind];
  const shown = examples.filter((one) => one.kind === kind);
  const isInFile = kind !== 'NOT_IN_FILE';
  return section(
    name,
    html`<p class="muted">${text}${count > shown.length ? html` ${say('comparison.theFirstOf', { shown: number(shown.length), count: number(count) })}` : nothing}</p>`,
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
