import type { Mode } from '../../domain/mode.ts';

/**
 * Lets each link and form of a page lead on in the mode that the page shows. It is done once, to the whole
 * document, so that no page can forget it; every attribute is in double quotes, and no text has an unescaped one.
 * @param document as `html` made it
 */
export function keepMode(document: string, mode: Mode): string {
  return document.replace(
    /<form method="get"[^>]*>|\b(?:href|action|hx-get)="\/[^"]*"/g,
    (found) =>
      // A browser leaves out the query of such a form's address, and sends its fields instead.
      found.startsWith('<form')
        ? `${found}<input type="hidden" name="mode" value="${mode}">`
        : found.replace(/"(.*)"/, (_, path: string) => `"${withMode(path, mode)}"`),
  );
}

/** @param path of the portal, as it stands in an attribute; one that names a mode stays as it is */
export function withMode(path: string, mode: Mode, and: '&amp;' | '&' = '&amp;'): string {
  if (/[?;&]mode=/.test(path) || path.startsWith('/assets/')) return path;
  const [before = '', fragment] = path.split('#');
  const kept = `${before}${before.includes('?') ? and : '?'}mode=${mode}`;
  return fragment === undefined ? kept : `${kept}#${fragment}`;
}
