import type { Language } from './languages.ts';

/** What a partner's customers see of it, beside its name. */
export interface Branding {
  /** In which they are written to. */
  language: Language;
  /** Of buttons and large figures, as `#4f46e5`; null for ours. */
  color: string | null;
  /** Where points can be spent, in a line. */
  spendText: string | null;
  /** A page about it, on the partner's own website. */
  spendUrl: string | null;
}

/** A colour, and what is written on it. */
export interface Accent {
  color: string;
  ink: string;
}

const white = '#ffffff';
const black = '#000000';

/** As WCAG 2 defines it, of a colour such as `#4f46e5`. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours by WCAG 2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light = 1, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** What WCAG 2 asks of text (AA), and of large text and of what a button is known by. */
const [textContrast, largeContrast] = [4.5, 3];

/** Whether a colour stands out from white: a button in it, and a large figure, are seen. */
export const isSeenOnWhite = (color: string): boolean => contrastOf(color, white) >= largeContrast;

/** A colour with the ink that can be read on it: white where that can, else black, which then can. */
export const accentOf = (color: string): Accent => ({
  color,
  ink: contrastOf(color, white) >= textContrast ? white : black,
});

/** Whether an address is https, and of a website: of its host, or of one below it. */
export function isOnWebsite(address: string, website: string | null): boolean {
  const [url, own] = [URL.parse(address), website === null ? null : URL.parse(website)];
  if (url?.protocol !== 'https:' || !own || url.username !== '' || url.password !== '')
    return false;
  const host = own.hostname.replace(/^www\./, '');
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

/** Where customers read how to spend points; null where that is not, or no more, on the partner's website. */
export function spendLinkOf({
  branding,
  website,
}: {
  branding?: Branding;
  website: string | null;
}): string | null {
  const url = branding?.spendUrl ?? null;
  return url !== null && isOnWebsite(url, website) ? url : null;
}
