import { defaultLanguage, type Language } from './languages.ts';
import { utc, zoneOfCountry } from './time-zones.ts';

export const logoTypes = ['png', 'jpg'] as const;

/** A partner's logo: a picture that was made anew from the file that it uploaded. */
export interface Logo {
  /** Names its bytes; another picture has another. */
  hash: string;
  type: (typeof logoTypes)[number];
  /** In pixels. */
  width: number;
  height: number;
}

/** Of the file that is uploaded, and of the picture in it. */
export const logoLimits = { bytes: 256 * 1024, width: 1_200, height: 600 } as const;

/** Where a logo is served; its name says what is in it, so that it may be kept for ever. */
export const logoPathOf = ({ hash, type }: Pick<Logo, 'hash' | 'type'>): string =>
  `/logos/${hash}.${type}`;

/** How large a logo is shown that has this much room: no larger than it is. */
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

/** What a partner's customers see of it, beside its name. */
export interface Branding {
  /** In which they are written to. */
  language: Language;
  /** In which they are told times, by its IANA name; null for their country's. */
  timeZone: string | null;
  /** Of buttons and large figures, as `#4f46e5`; null for ours. */
  color: string | null;
  /** Where points can be spent, in a line. */
  spendText: string | null;
  /** A page about it, on the partner's own website. */
  spendUrl: string | null;
  /** Absent where there is none. */
  logo?: Logo;
}

/** What an owner chooses in the form, all but the logo. */
export type ChosenBranding = Omit<Branding, 'logo'>;

/** Where nothing was chosen. */
export const defaultBranding: ChosenBranding = {
  language: defaultLanguage,
  timeZone: null,
  color: null,
  spendText: null,
  spendUrl: null,
};

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

/** The zone in which a partner's customers are told times: UTC where neither its choice nor its country says. */
export const customersZone = ({
  branding,
  country,
}: {
  branding?: Branding | undefined;
  country: string;
}): string => branding?.timeZone ?? zoneOfCountry(country) ?? utc;

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
