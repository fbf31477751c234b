/** What of a page belongs to a section of the second order: its heading, and all up to the next. */
const sectionOf = (heading: string) =>
  new RegExp(`^${heading.replace(/\W/g, '\\$&')}\n[^]*?(?=^## |(?![^]))`, 'm');

const headingOf = (section: string): string => section.slice(0, section.indexOf('\n'));

/** A page with a section in the place of the one that it had under the same heading, or at its end. */
export function withSection(page: string, section: string): string {
  if (section === '') return page;
  const own = sectionOf(headingOf(section));
  if (own.test(page))
    return page.replace(own, () => `${section.trimEnd()}\n\n`).replace(/\n+$/, '\n');
  return `${page.trimEnd()}\n\n${section.trimEnd()}\n`;
}

/** A section of a page; nothing where it has none. */
export const sectionIn = (page: string, heading: string): string =>
  sectionOf(heading).exec(page)?.[0] ?? '';

/** A page as it is written anew, with each section of the one before that it does not write itself. */
export const carriedOver = (before: string, page: string): string =>
  [...before.matchAll(/^## .*$/gm)]
    .map(([heading]) => sectionIn(before, heading))
    .filter((section) => sectionIn(page, headingOf(section)) === '')
    .reduce(withSection, page);
