import { inflateSync } from 'node:zlib';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { logoLimits } from '../../domain/branding.ts';
import type { Picture } from '../../models/identity/logos.ts';

/** A problem with an uploaded picture, as a message to the user. */
export class PictureError extends Error {
  override name = 'PictureError';
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpegStart = Buffer.from([0xff, 0xd8, 0xff]);
const broken = 'The file is damaged or incomplete. Export the picture again.';

/**
 * Re-encodes an uploaded picture from its pixels, so that metadata and hidden content are dropped. The
 * format is detected from the bytes. The dimensions and the uncompressed size are limited before decoding.
 * @throws PictureError
 */
export function readPicture(file: Buffer): Picture {
  if (file.length > logoLimits.bytes) {
    throw new PictureError(`The file is larger than ${logoLimits.bytes / 1024} KiB.`);
  }
  if (file.subarray(0, pngStart.length).equals(pngStart)) return decoded(() => readPng(file));
  if (file.subarray(0, jpegStart.length).equals(jpegStart)) return decoded(() => readJpeg(file));
  throw new PictureError('Choose a PNG or JPEG.');
}

function decoded(read: () => Picture): Picture {
  try {
    return read();
  } catch (error) {
    throw error instanceof PictureError ? error : new PictureError(broken);
  }
}

function requireSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new PictureError(broken);
  if (width <= logoLimits.width && height <= logoLimits.height) return;
  throw new PictureError(
    `The picture has ${width} × ${height} pixels; the maximum is ${logoLimits.width} × ${logoLimits.height}.`,
  );
}

/** The chunks needed for the pixels; all others contain text, times, profiles and other data. */
const pngChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** The number of values per pixel, by colour type. */
const pngChannels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function readPng(file: Buffer): Picture {
  const chunks = pngChunksOf(file);
  const [header, ...others] = chunks.filter(({ type }) => type === 'IHDR').map(({ data }) => data);
  // With several headers, the decoder would take the last, which may have another size than the one checked.
  if (chunks[0]?.type !== 'IHDR' || header?.length !== 13 || others.length > 0) {
    throw new PictureError(broken);
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  requireSize(width, height);
  const channels = pngChannels[header.readUInt8(9)];
  if (channels === undefined) throw new PictureError(broken);
  const bitsPerPixel = channels * header.readUInt8(8);
  const isInterlaced = header.readUInt8(12) === 1;
  const expectedBytes = pngBytes({ width, height, bitsPerPixel, isInterlaced });
  // More data is refused here, where its size is limited, and so is less: for missing pixels the decoder would
  // return uninitialized memory.
  const unpacked = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)),
    { maxOutputLength: expectedBytes + 1_024 },
  );
  if (unpacked.length < expectedBytes) throw new PictureError(broken);
  const plain = Buffer.concat([pngStart, ...chunks.map(({ whole }) => whole)]);
  const picture = PNG.sync.read(plain, { checkCRC: true });
  const isOpaque = picture.data.every((value, index) => index % 4 !== 3 || value === 255);
  const bytes = PNG.sync.write(picture, { colorType: isOpaque ? 2 : 6, deflateLevel: 9 });
  return { type: 'png', width, height, bytes };
}

/** The offsets and steps of each pass of an interlaced picture (PNG, section 8.2). */
const adam7 = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];
const wholePicture = { x: 0, y: 0, dx: 1, dy: 1 };

/** The uncompressed size of a picture: rows of pixels, each after one byte for its filter. */
function pngBytes(picture: {
  width: number;
  height: number;
  bitsPerPixel: number;
  isInterlaced: boolean;
}): number {
  const passes = picture.isInterlaced ? adam7 : [wholePicture];
  return passes.reduce((bytes, { x, y, dx, dy }) => {
    const columns = Math.ceil((picture.width - x) / dx);
    const rows = Math.ceil((picture.height - y) / dy);
    if (columns <= 0 || rows <= 0) return bytes;
    return bytes + rows * (1 + Math.ceil((columns * picture.bitsPerPixel) / 8));
  }, 0);
}

interface PngChunk {
  type: string;
  data: Buffer;
  whole: Buffer;
}

/** The needed chunks of a PNG, up to its end chunk; data after that is ignored. */
function pngChunksOf(file: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  for (let at = pngStart.length; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > file.length) break;
    const type = file.toString('latin1', at + 4, at + 8);
    if (pngChunks.has(type)) {
      const data = file.subarray(at + 8, end - 4);
      chunks.push({ type, data, whole: file.subarray(at, end) });
    }
    if (type === 'IEND') return chunks;
    at = end;
  }
  throw new PictureError(broken);
}

/** Baseline, extended and progressive; others are not used in practice. */
const frames = new Set([0xc0, 0xc1, 0xc2]);
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** A progressive picture has about ten scans; each costs a pass over the whole picture. */
const maxScans = 32;
const jpegQuality = 85;

function readJpeg(file: Buffer): Picture {
  const { width, height, end } = measureJpeg(file);
  const pixels = jpeg.decode(file.subarray(0, end), {
    useTArray: true,
    formatAsRGBA: true,
    tolerantDecoding: false,
    maxResolutionInMP: 1,
    maxMemoryUsageInMB: 128,
  });
  if (pixels.width !== width || pixels.height !== height) throw new PictureError(broken);
  const { data } = jpeg.encode({ width, height, data: pixels.data }, jpegQuality);
  return { type: 'jpg', width, height, bytes: Buffer.from(data) };
}

/** Reads the segment headers of a JPEG, without decoding. */
function measureJpeg(file: Buffer): { width: number; height: number; end: number } {
  let size: { width: number; height: number } | null = null;
  let scans = 0;
  for (let at = 2; at + 2 <= file.length; ) {
    if (file[at] !== 0xff) throw new PictureError(broken);
    const marker = file.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) {
      if (size === null || scans === 0) throw new PictureError(broken);
      return { ...size, end: at + 2 };
    }
    const length = file.readUInt16BE(at + 2);
    if (length < 2) throw new PictureError(broken);
    if (isFrame(marker)) {
      const components = file.readUInt8(at + 9);
      if (size !== null || !frames.has(marker) || ![1, 3].includes(components)) {
        throw new PictureError('This kind of JPEG cannot be read. Export it as RGB, or as a PNG.');
      }
      size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
      requireSize(size.width, size.height);
    }
    at += 2 + length;
    if (marker === 0xda) {
      scans += 1;
      if (scans > maxScans) throw new PictureError(broken);
      at = endOfScan(file, at);
    }
  }
  throw new PictureError(broken);
}

/** The start of the next segment: within a scan, 0xff is followed by zero or a restart marker. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next !== undefined && next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new PictureError(broken);
}
