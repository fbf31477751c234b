import type { Mode } from '../../domain/mode.ts';

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
