import { type Mode, modes } from '../../domain/mode.ts';
import { type Html, html, nothing } from './html.ts';
import { withMode } from './keep-mode.ts';

/**
 * The TEST/LIVE switch of the whole portal. The mode is part of the address, so that a link shows everyone
 * the same.
 * @param path of the page in the other mode
 */
export function modeSwitch(shown: Mode, path: string): Html {
  return html`<nav class="mode-switch" aria-label="Mode">${modes.map(
    (mode) =>
      html`<a href="${withMode(path, mode, '&')}" class="is-${mode.toLowerCase()}" ${mode === shown ? html`aria-current="true"` : nothing}>${mode}</a>`,
  )}</nav>`;
}

/** Shown above each TEST page. */
export const testBar = () =>
  html`<p class="test-bar"><strong>TEST</strong> Nothing here is real: no money moves, and no customer is contacted.</p>`;
