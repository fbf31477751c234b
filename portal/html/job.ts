import type { JobDoc, JobProgress } from '../../models/schemas/jobs.ts';
import { badge, notice, section } from './components.ts';
import { number } from './format.ts';
import { type Html, html, nothing, type Part } from './html.ts';

/** Tens of thousands of rows are compared in that time. */
const pollEvery = '500ms';

/**
 * A job's progress and, once it is done, its result. The part reloads itself until then; without
 * JavaScript, the reader reloads the page.
 * @param path of the page
 * @param doing what is in progress
 * @param found renders the result
 */
export function jobPart(job: JobDoc, path: string, doing: string, found: () => Part): Html {
  const again = html`hx-get="${path}" hx-trigger="every ${pollEvery}" hx-select="#job" hx-target="this" hx-swap="outerHTML"`;
  return html`<div id="job" ${job.isOpen ? again : nothing}>${
    job.status === 'DONE'
      ? found()
      : job.status === 'FAILED'
        ? notice('bad', `This failed. ${job.problem ?? ''}`)
        : section(doing, jobProgress(job))
  }</div>`;
}

function jobProgress({ status, progress }: JobDoc): Html {
  const { done, total } = progress;
  return html`<div class="job-progress"><progress value="${done}" max="${total}" aria-label="Progress"></progress>
<p class="number">${status === 'QUEUED' ? 'It starts in a moment.' : progressWords(progress)}</p></div>
<p class="muted">It keeps running if you leave this page.<noscript> Reload the page to see the progress.</noscript></p>`;
}

const unitWords: Readonly<Record<JobProgress['of'], string>> = {
  ROWS: 'rows',
  DAYS: 'days',
  DOCUMENTS: 'documents',
};

function progressWords({ done, total, of }: JobProgress): Html {
  return html`${number(done)} of ${number(total)} ${unitWords[of]}`;
}

/** The state and progress of a job, for lists. */
export function jobState({ status, progress }: JobDoc): Html {
  const percent = Math.floor((100 * progress.done) / Math.max(1, progress.total));
  return html`${badge(status)}${status === 'RUNNING' ? html` <span class="muted number">${percent}%</span>` : nothing}`;
}
