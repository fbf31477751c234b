import type { PngOptions, Sharp } from 'sharp';
import { logoLimits } from '../../domain/branding.ts';
import type { Picture } from '../../models/identity/logos.ts';

/** A problem with an uploaded picture, as a message to the user. */
export class PictureError extends Error {
  override name = 'PictureError';
}

const signatures = {
  png: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  jpg: Buffer.from([0xff, 0xd8, 0xff]),
};
const broken = 'The file is damaged or incomplete. Export the picture again.';
const maxPixels = logoLimits.width * logoLimits.height;
const maxSeconds = 10;
/** In bytes; a PNG that would be larger is reduced to 256 colors. Noise in a file of 25 KB can take 2.9 MB. */
const maxLosslessBytes = 2 * logoLimits.bytes;

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
  const decoder = await loadDecoder();
  await measure(decoder(file, { limitInputPixels: false }));
  const picture = decoder(file, { limitInputPixels: maxPixels, failOn: 'warning' });
  try {
    return { type, ...(await encode(picture.timeout({ seconds: maxSeconds }), type)) };
  } catch {
    throw new PictureError(broken);
  }
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

async function encode(picture: Sharp, type: Picture['type']): Promise<Omit<Picture, 'type'>> {
  const wanted = { resolveWithObject: true } as const;
  const { data, info } = await (type === 'jpg'
    ? picture.jpeg({ quality: 85 }).toBuffer(wanted)
    : smallestPng(picture));
  return { width: info.width, height: info.height, bytes: data };
}

async function smallestPng(picture: Sharp) {
  const png = (options: PngOptions) =>
    picture
      .clone()
      .png({ compressionLevel: 9, ...options })
      .toBuffer({ resolveWithObject: true });
  // Flat colors are smaller without filters, and gradients with them.
  const [plain, filtered] = [
    await png({ adaptiveFiltering: false }),
    await png({ adaptiveFiltering: true }),
  ];
  const smaller = plain.data.length <= filtered.data.length ? plain : filtered;
  return smaller.data.length <= maxLosslessBytes ? smaller : await png({ palette: true });
}
