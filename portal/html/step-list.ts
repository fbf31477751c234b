import { type Html, html, nothing, type Part } from './html.ts';

/** NEXT is the step to do now. */
export type StepState = 'DONE' | 'NEXT' | 'TO_DO' | 'OPTIONAL' | 'WAITING' | 'LOCKED';

export interface Step {
  title: string;
  state: StepState;
  /** A description, or what is missing. */
  text?: Part;
  /** Proof that the step is done. */
  evidence?: readonly Part[];
  action?: Html;
}

const words: Readonly<Record<StepState, string>> = {
  DONE: 'Done',
  NEXT: 'Next',
  TO_DO: 'To do',
  OPTIONAL: 'Optional',
  WAITING: 'In review',
  LOCKED: 'Later',
};

const tick = html`<svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true"><path d="M3.2 8.6l3.1 3.1 6.5-7" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** A list of steps with state, evidence and action. */
export function stepList(steps: readonly Step[]): Html {
  return html`<ol class="step-list">${steps.map(
    ({ title, state, text = nothing, evidence = [], action = nothing }, index) =>
      html`<li class="step step-${state.toLowerCase()}"><span class="step-mark" aria-hidden="true">${state === 'DONE' ? tick : index + 1}</span>
<div><p class="step-title">${title} <span class="step-state">${words[state]}</span></p>
${text === nothing ? nothing : html`<p class="step-text">${text}</p>`}
${evidence.length === 0 ? nothing : html`<p class="step-evidence">${evidence.map((one) => html`<span>${one}</span>`)}</p>`}</div>
<div class="step-action">${action}</div></li>`,
  )}</ol>`;
}
