import { type OrderFault, type OrderFaultKind, orderFaultKinds } from '../../domain/orders.ts';
import type { ComparisonJob, ComparisonResult } from '../../models/schemas/jobs.ts';
import { notice, section, table } from './components.ts';
import { number, numberText, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { type Metric, metrics } from './metrics.ts';

interface FaultWords {
  name: string;
  /** Shown under the count. */
  note: string;
  /** Explanation and advice. */
  text: string;
}

const faultWords: Record<OrderFaultKind, FaultWords> = {
  MISSING: {
    name: 'Missing',
    note: 'in your file, not reported',
    text: 'These orders are in your file, but this integration never reported them. Report them now, and their customers get their points at once.',
  },
  NOT_IN_FILE: {
    name: 'Not in the file',
    note: 'reported, not in your file',
    text: 'These orders were reported on the days you chose but are not in your file. Check whether they were tests or belong to another export.',
  },
  DUPLICATE: {
    name: 'Duplicate',
    note: 'more than once in your file',
    text: 'These orders appear more than once in your file. The first row of each was compared.',
  },
  MISMATCHED: {
    name: 'Mismatched',
    note: 'reported differently',
    text: 'These orders were reported with values that differ from your file.',
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
      name: 'Identical',
      value: numberText(matched),
      note: `of ${numberText(input.rows)} rows`,
    },
    ...kinds.map((kind) => ({
      name: faultWords[kind].name,
      value: numberText(faults[kind]),
      note: faultWords[kind].note,
    })),
  ];
  return html`${metrics(figures)}
${isClean ? notice('good', 'Every order in the file was reported, with the same values.') : downloadLink(_id, isCut)}
${kinds.map((kind) => faultSection(kind, faults[kind], examples))}
<p class="muted">Kept until ${time(expiresAt)}.</p>`;
}

function downloadLink(jobId: string, isCut: boolean): Html {
  return html`<div class="take-home"><a class="button primary" href="/reconciliation/${jobId}/faults.csv" download>Download all as CSV</a>
<span class="muted">${isCut ? 'There were more than we store; the file contains the first ones.' : 'Each row names its event and what is wrong.'}</span></div>`;
}

function faultSection(kind: OrderFaultKind, count: number, examples: readonly OrderFault[]): Html {
  if (count === 0) return nothing;
  const name = faultWords[kind].name;
  const shown = examples.filter((one) => one.kind === kind);
  const isInFile = kind !== 'NOT_IN_FILE';
  return section(
    name,
    html`<p class="muted">${faultWords[kind].text}${count > shown.length ? html` The first ${number(shown.length)} of ${number(count)}:` : nothing}</p>`,
    html`<div class="faults">${table({
      caption: name,
      columns: [
        ...(isInFile ? [{ heading: 'Row', cell: ({ row }: OrderFault) => number(row ?? 0) }] : []),
        {
          heading: 'Order',
          cell: ({ externalOrderId, eventId }) => {
            const order = html`<span class="clip" title="${externalOrderId}">${externalOrderId}</span>`;
            return eventId === null ? order : html`<a href="/events/${eventId}">${order}</a>`;
          },
        },
        { heading: 'What is wrong', cell: ({ what }) => what, isText: true },
      ],
      rows: shown,
      empty: nothing,
    })}</div>`,
  );
}
