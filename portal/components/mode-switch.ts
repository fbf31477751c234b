import { type Mode, modes } from '../../domain/mode.ts';
import { type Html, html, nothing } from './format.ts';

/**
 * Adds the page's mode to each of its links and forms. Doing it once, on the whole document, means that no
 * page can forget it; it relies on all attributes being in double quotes, with all quotes in text escaped.
 * @param document created by `html`
 */
export function keepMode(document: string, mode: Mode): string {
  return document.replace(
    /<form method="get"[^>]*>|\b(?:href|action|hx-get)="\/[^"]*"/g,
    (found) =>
      // Browsers replace the query of a GET form's address with its fields.
      found.startsWith('<form')
        ? `${found}<input type="hidden" name="mode" value="${mode}">`
        : found.replace(/"(.*)"/, (_, path: string) => `"${withMode(path, mode)}"`),
  );
}

/** @param path of the portal, as in an attribute; one that contains a mode is not changed */
export function withMode(path: string, mode: Mode, and: '&amp;' | '&' = '&amp;'): string {
  if (/[?;&]mode=/.test(path) || path.startsWith('/assets/')) return path;
  const [before = '', fragment] = path.split('#');
  const kept = `${before}${before.includes('?') ? and : '?'}mode=${mode}`;
  return fragment === undefined ? kept : `${kept}#${fragment}`;
}

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
