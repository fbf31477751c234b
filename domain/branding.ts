import { defaultLanguage, type Language } from './languages.ts';
import { utc, zoneOfCountry } from './time-zones.ts';

export const logoTypes = ['png', 'jpg'] as const;

/** A partner's logo, re-encoded from the file that was uploaded. */
export interface Logo {
  /** Identifies the image: a different one has a different hash. */
  hash: string;
  type: (typeof logoTypes)[number];
  /** In pixels. */
  width: number;
  height: number;
}

/** Limits of the uploaded file and of the image in it, in pixels. */
export const logoLimits = { bytes: 256 * 1024, width: 1_200, height: 600 } as const;

/** Where a logo is served. The path contains the hash, so that browsers may cache it forever. */
export const logoPathOf = ({ hash, type }: Pick<Logo, 'hash' | 'type'>): string =>
  `/logos/${hash}.${type}`;

/** The size at which a logo is shown in the given space: never larger than the image itself. */
export function fitLogo(
  { width, height }: Pick<Logo, 'width' | 'height'>,
  room: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(1, room.width / width, room.height / height);
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}

/** What customers see of a partner, in addition to its name. */
export interface Branding {
  /** The language of messages to customers. */
  language: Language;
  /** The IANA time zone in which customers see times; null for that of the profile. */
  timeZone: string | null;
  /** The colour of buttons and large figures, such as `#4f46e5`; null for ours. */
  color: string | null;
  /** Where points can be spent, in a line. */
  spendText: string | null;
  /** A page about spending points, on the partner's own website. */
  spendUrl: string | null;
  /** Absent where there is none. */
  logo?: Logo;
}

/** What an owner chooses in the form, all but the logo. */
export type ChosenBranding = Omit<Branding, 'logo'>;

/** Used where the owner chose nothing. */
export const defaultBranding: ChosenBranding = {
  language: defaultLanguage,
  timeZone: null,
  color: null,
  spendText: null,
  spendUrl: null,
};

/** A colour, and the colour of text on it. */
export interface Accent {
  color: string;
  ink: string;
}

const white = '#ffffff';
const black = '#000000';

/** The relative luminance, as WCAG 2 defines it, of a colour such as `#4f46e5`. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours by WCAG 2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [light = 1, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The ratios that WCAG 2 (AA) requires of text, and of large text and user interface components.
 */
const [textContrast, largeContrast] = [4.5, 3];

/** Whether a colour stands out from white enough for a button and for large figures. */
export const isSeenOnWhite = (color: string): boolean => contrastOf(color, white) >= largeContrast;

/** A colour with the text colour that is readable on it: white if possible, otherwise black. */
export const accentOf = (color: string): Accent => ({
  color,
  ink: contrastOf(color, white) >= textContrast ? white : black,
});

/** Whether a URL is https and on a website: on its host or a subdomain of it. */
export function isOnWebsite(address: string, website: string | null): boolean {
  const [url, own] = [URL.parse(address), website === null ? null : URL.parse(website)];
  if (url?.protocol !== 'https:' || !own || url.username !== '' || url.password !== '')
    return false;
  const host = own.hostname.replace(/^www\./, '');
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

/** What says in which time zone a partner's customers are. */
export interface Located {
  branding?: Branding | undefined;
  /** Of the profile. */
  timeZone?: string | null | undefined;
  /** Null until somebody chooses it. */
  country: string | null;
}

/** The time zone of a partner's customers: of its branding, its profile, or its country; null if that has several. */
export const knownTimeZone = ({ branding, timeZone, country }: Located): string | null =>
  branding?.timeZone ?? timeZone ?? (country && zoneOfCountry(country));

/** The time zone for a partner's customers: UTC as long as nothing determines one. */
export const customerTimeZone = (partner: Located): string => knownTimeZone(partner) ?? utc;

/**
 * Where customers read how to spend points; null if that is not, or no longer, on the partner's
 * website.
 */
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

/**
 * Whether programs that turn addresses into links, such as mail clients, would do so with this
 * text: it has a scheme, or two words with only a dot in between.
 */
export const looksLikeLink = (text: string): boolean =>
  /:\/\/|[\p{L}\p{N}_-][.。](?:\p{L}{2}|\p{N}+[.。]\p{N}+[.。]\p{N})/u.test(text.normalize('NFKC'));

/**
 * A merchant's name as it appears in messages: one line, and no link. New names that look like a
 * link are refused; existing ones lose the characters that make them one.
 */
export function nameInMessages(name: string): string {
  const oneLine = name.replace(/\s+/g, ' ').trim();
  return looksLikeLink(oneLine)
    ? oneLine
        .normalize('NFKC')
        .replace(/[.。:/]+/g, ' ')
        .trim()
    : oneLine;
}

let names: Intl.DisplayNames | undefined;

/** The English name of a country. @param country ISO 3166-1 alpha-2 */
export function countryName(country: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
