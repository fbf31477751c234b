import Joi from 'joi';
import type { Sharp } from 'sharp';
import {
  type ChosenBranding,
  isOnWebsite,
  isSeenOnWhite,
  type Logo,
  logoLimits,
  looksLikeLink,
} from '../domain/branding.ts';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { languages } from '../domain/languages.ts';
import { timeZones } from '../domain/time-zones.ts';
import { deleteLogo, type Picture, saveLogo } from '../models/identity/logos.ts';
import { findPartnerInMode } from '../models/identity/partners.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation } from './operation.ts';

/** A problem with an uploaded picture, as a message to the user. */
export class PictureError extends Error {
  override name = 'PictureError';
}

const signatures = {
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  jpg: Buffer.from([0xff, 0xd8, 0xff]),
};
const broken = 'The file is damaged or incomplete. Export the picture again.';
const tooDetailed = 'The picture is too detailed for a logo. Choose a simpler one.';
const maxPixels = logoLimits.width * logoLimits.height;
/** For all of it: a small file can hold noise, which takes seconds to compress. */
const maxSeconds = 10;
/** In bytes; a picture that would be larger is reduced. Noise in a file of 25 KB can take 2.9 MB. */
const maxUnreducedBytes = 2 * logoLimits.bytes;
/** What it is reduced to. */
const scales = [1, 1 / 2, 1 / 4, 1 / 8];
/** About how large a reduced picture of the same size is, of its unreduced one: one byte for four, or less quality. */
const reducedShare = { png: 1 / 4, jpg: 0.6 } as const;

/**
 * Re-encodes an uploaded picture from its pixels, so that metadata and hidden content are dropped. The
 * format is detected from the bytes. The dimensions are limited before decoding, which happens off the event loop.
 * @throws PictureError
 */
export async function readPicture(file: Buffer): Promise<Picture> {
  if (file.length > logoLimits.bytes) {
    throw new PictureError(`The file is larger than ${logoLimits.bytes / 1024} KiB.`);
  }
  const type = (['png', 'jpg'] as const).find((one) => file.indexOf(signatures[one]) === 0);
  if (type === undefined) throw new PictureError('Choose a PNG or JPEG.');
  const sharp = await loadDecoder();
  await measure(sharp(file, { limitInputPixels: false }));
  const inTime = within(maxSeconds);
  try {
    const { data, info } = await inTime(
      sharp(file, { limitInputPixels: maxPixels, failOn: 'warning' })
        .toColourspace('srgb')
        .raw({ depth: 'uchar' }),
    );
    const { width, height, channels } = info;
    const pixels = () => sharp(data, { raw: { width, height, channels } });
    return { type, ...(await encode({ pixels, width, data, channels, inTime }, type)) };
  } catch (error) {
    throw error instanceof PictureError ? error : new PictureError(broken);
  }
}

/** Runs steps that together may take so long. */
function within(seconds: number) {
  const endMs = performance.now() + seconds * 1_000;
  return (step: Sharp) => {
    const left = Math.ceil((endMs - performance.now()) / 1_000);
    if (left <= 0) throw new PictureError(tooDetailed);
    return step.timeout({ seconds: left }).toBuffer({ resolveWithObject: true });
  };
}

let loaded: Promise<typeof import('sharp').default> | undefined;

/** Loads the decoder with the first picture, since it takes 20 MB. */
function loadDecoder() {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    // The other formats are never tried, whatever a file looks like.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer'] });
    sharp.cache(false);
    return sharp;
  });
  return loaded;
}

/** Reads only the header. @throws PictureError for dimensions that are not allowed */
async function measure(picture: Sharp): Promise<void> {
  const { width, height } = await picture.metadata().catch(() => {
    throw new PictureError(broken);
  });
  if (width <= logoLimits.width && height <= logoLimits.height) return;
  throw new PictureError(
    `The picture has ${width} × ${height} pixels; the maximum is ${logoLimits.width} × ${logoLimits.height}.`,
  );
}

/** A picture's pixels, eight bits a channel. */
interface Pixels {
  pixels: () => Sharp;
  width: number;
  data: Buffer;
  channels: number;
  inTime: ReturnType<typeof within>;
}

/** Encodes it once, or, if that is too large, once more in the largest size that can be expected to fit. */
async function encode(picture: Pixels, type: Picture['type']): Promise<Omit<Picture, 'type'>> {
  const { pixels, inTime } = picture;
  const encoded = await inTime(
    type === 'jpg'
      ? pixels().jpeg({ quality: 85 })
      : pixels().png({ compressionLevel: 9, adaptiveFiltering: !isFlat(picture) }),
  );
  const { data, info } =
    encoded.data.length <= maxUnreducedBytes
      ? encoded
      : await reduced(picture, type, encoded.data.length);
  return { width: info.width, height: info.height, bytes: data };
}

/** With 256 colors or less detail, and smaller if that is not enough. */
async function reduced(
  { pixels, width, inTime }: Pixels,
  type: Picture['type'],
  unreducedBytes: number,
) {
  const expected = unreducedBytes * reducedShare[type];
  for (const scale of scales) {
    if (expected * scale ** 2 > logoLimits.bytes) continue;
    const scaled = pixels().resize({ width: Math.max(1, Math.round(width * scale)) });
    const encoded = await inTime(
      type === 'jpg' ? scaled.jpeg({ quality: 60 }) : scaled.png({ palette: true, effort: 1 }),
    );
    if (encoded.data.length <= logoLimits.bytes) return encoded;
  }
  throw new PictureError(tooDetailed);
}

/** Whether most pixels are like their neighbor: flat colors are smaller without filters, gradients with them. */
function isFlat({ data, channels }: Pick<Pixels, 'data' | 'channels'>): boolean {
  let same = 0;
  for (let at = channels; at < data.length; at += channels) {
    let channel = 0;
    while (channel < channels && data[at + channel] === data[at + channel - channels]) channel += 1;
    if (channel === channels) same += 1;
  }
  return same * 2 > data.length / channels;
}

/** Removes a partner's logo; its customers see its name instead. */
export const removeLogo = operation({
  name: 'branding.remove-logo',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartnerInMode(models, partnerId),
  audit: ({ partnerId }, { branding }) => ({
    targetId: partnerId,
    partnerId,
    details: { hash: branding?.logo?.hash ?? null },
  }),
  run: async ({ models }: AuditLogDeps, _input, { found }): Promise<void> => {
    await deleteLogo(models, found);
  },
});

/** Sets the logo that a partner's customers see. */
export const setLogo = operation({
  name: 'branding.set-logo',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string; picture: Buffer }>({
    partnerId: idField,
    picture: Joi.binary().required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartnerInMode(models, partnerId),
  audit: ({ partnerId, picture }) => ({
    targetId: partnerId,
    partnerId,
    details: { bytes: picture.length },
  }),

  /** @throws ServiceError VALIDATION_FAILED with the problem of the picture */
  async run({ models, now }: AuditLogDeps, { picture }, { found }): Promise<Logo> {
    try {
      return await saveLogo(models, found, await readPicture(picture), new Date(now()));
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      throw new ServiceError('VALIDATION_FAILED', error.message);
    }
  },

  completion: (logo) => ({ details: { ...logo } }),
});

/** Changes a partner's branding in messages to its customers and on their pages. */
export const updateBranding = operation({
  name: 'branding.update',
  permission: { operator: null, user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string } & ChosenBranding>({
    partnerId: idField,
    language: Joi.valid(...languages).required(),
    timeZone: Joi.valid(...timeZones, null).required(),
    color: Joi.string()
      .pattern(/^#[0-9a-f]{6}$/)
      .allow(null)
      .required(),
    spendText: shortText(200).allow(null).required(),
    spendUrl: Joi.string().uri({ scheme: 'https' }).max(500).allow(null).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartnerInMode(models, partnerId),
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  /** @throws ServiceError VALIDATION_FAILED naming each field that would be unreadable or mislead customers */
  async run(
    { models }: AuditLogDeps,
    { partnerId: _id, ...branding },
    { found: { website } },
  ): Promise<void> {
    const problems = problemsOf(branding, website);
    if (Object.keys(problems).length > 0) throw invalidFields(problems);
    const chosen = Object.entries(branding).map(([name, value]) => [`branding.${name}`, value]);
    await models.partners.updateOne({ _id }, { $set: Object.fromEntries(chosen) });
  },
});

function problemsOf(
  { color, spendText, spendUrl }: ChosenBranding,
  website: string | null,
): Record<string, string> {
  return {
    ...(color !== null &&
      !isSeenOnWhite(color) && {
        color:
          'This colour is too light: it needs a contrast of at least 3 to 1 with white. Choose a darker one.',
      }),
    // The only link must be the one to the reviewed website, so the text must not contain any.
    ...(spendText !== null &&
      looksLikeLink(spendText) && {
        spendText:
          'The text looks like a link: leave a space after each dot, and use the field for the link.',
      }),
    ...(spendUrl !== null &&
      !isOnWebsite(spendUrl, website) && {
        spendUrl:
          website === null
            ? 'Enter your website in the profile first: the link must lead to one of its pages.'
            : `The link must lead to a page of your website, ${website}, and begin with https://.`,
      }),
  };
}
