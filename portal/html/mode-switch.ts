import { type Mode, modes } from '../../domain/mode.ts';
import { say } from '../words/say.ts';
import { tags } from '../words/tags.ts';
import { type Html, html, nothing } from './html.ts';
import { withMode } from './keep-mode.ts';

/**
 * TEST or LIVE, for the whole portal. It stands in the address, so that a link means the same to everybody.
 * @param path where the other mode is looked at
 */
export function modeSwitch(shown: Mode, path: string): Html {
  return html`<nav class="mode-switch" aria-label="${say('modeSwitch.mode')}">${modes.map(
    (mode) =>
      html`<a href="${withMode(path, mode, '&')}" class="is-${mode.toLowerCase()}" ${mode === shown ? html`aria-current="true"` : nothing}>${mode}</a>`,
  )}</nav>`;
}

/** Above each page of TEST. */
export const testBar = () =>
  html`<p class="test-bar">${say('modeSwitch.testBar.text', { strong: tags.strong })}</p>`;
