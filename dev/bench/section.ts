/** A second-level section of a page: its heading, and everything up to the next one. */
const sectionOf = (heading: string) =>
  new RegExp(`^${heading.replace(/\W/g, '\\$&')}\n[^]*?(?=^## |(?![^]))`, 'm');

const headingOf = (section: string): string => section.slice(0, section.indexOf('\n'));

/** Replaces the page's section with the same heading, or appends it. */
export function withSection(page: string, section: string): string {
  if (section === '') return page;
  const own = sectionOf(headingOf(section));
  if (own.test(page))
    return page.replace(own, () => `${section.trimEnd()}\n\n`).replace(/\n+$/, '\n');
  return `${page.trimEnd()}\n\n${section.trimEnd()}\n`;
}

/** A section of a page; empty if the page does not have it. */
export const sectionIn = (page: string, heading: string): string =>
  sectionOf(heading).exec(page)?.[0] ?? '';

/** A rewritten page, with the old page's sections that it does not contain itself. */
export const carriedOver = (before: string, page: string): string =>
  [...before.matchAll(/^## .*$/gm)]
    .map(([heading]) => sectionIn(before, heading))
    .filter((section) => sectionIn(page, headingOf(section)) === '')
    .reduce(withSection, page);
