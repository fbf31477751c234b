import { createCipheriv } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import test from 'ava';
import sharp, { type Sharp } from 'sharp';
import { logoLimits } from '../../domain/branding.ts';
import { PictureError, readPicture } from '../../operations/branding.ts';

const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

interface Header {
  width: number;
  height: number;
  depth?: number;
  colorType?: number;
  interlace?: number;
}

function header({ width, height, depth = 8, colorType = 0, interlace = 0 }: Header): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colorType, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}

const end = chunk('IEND', Buffer.alloc(0));

/** A PNG, greyscale by default, with the given unpacked rows. */
const greyPng = (of: Header, rows: Uint8Array, ...between: Buffer[]): Buffer =>
  Buffer.concat([start, header(of), ...between, chunk('IDAT', deflateSync(rows)), end]);

/** Varying pixels, in RGBA. */
function pixels(width: number, height: number, alpha = 255): Buffer {
  const data = Buffer.alloc(width * height * 4);
  for (let at = 0; at < data.length; at += 4) {
    data.set([at % 251, (at * 3) % 241, (at * 7) % 239, alpha], at);
  }
  return data;
}

const picture = (width: number, height: number, data = pixels(width, height)) =>
  sharp(data, { raw: { width, height, channels: 4 } });
const png = (width: number, height: number, data?: Buffer) =>
  picture(width, height, data).png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer();
const jpg = (width: number, height: number) => picture(width, height).jpeg().toBuffer();

/** The pixels of a picture, in RGBA. */
const pixelsOf = (bytes: Buffer) =>
  sharp(bytes).toColourspace('srgb').ensureAlpha().raw().toBuffer();

test('a PNG keeps its pixels and its transparency', async (t) => {
  for (const alpha of [255, 100]) {
    const drawn = pixels(40, 20, alpha);
    const read = await readPicture(await png(40, 20, drawn));
    t.like(read, { type: 'png', width: 40, height: 20 });
    t.deepEqual(await pixelsOf(read.bytes), drawn);
  }
});

test('a JPEG stays a JPEG', async (t) => {
  const read = await readPicture(await jpg(64, 32));
  t.like(read, { type: 'jpg', width: 64, height: 32 });
  t.like(await sharp(read.bytes).metadata(), { format: 'jpeg', width: 64, height: 32 });
});

test('a JPEG for print and a progressive one are read', async (t) => {
  for (const file of [
    await picture(64, 32).toColourspace('cmyk').jpeg().toBuffer(),
    await picture(64, 32).jpeg({ progressive: true }).toBuffer(),
  ]) {
    const { bytes } = await readPicture(file);
    t.like(await sharp(bytes).metadata(), { space: 'srgb', isProgressive: false });
  }
});

test('palette, 16-bit and interlaced PNGs are read', async (t) => {
  const palette = chunk('PLTE', Buffer.from([255, 0, 0, 0, 0, 255]));
  const indexed = greyPng(
    { width: 2, height: 1, colorType: 3 },
    Buffer.from([0, 0, 1]),
    palette,
    chunk('tRNS', Buffer.from([255, 0])),
  );
  const read = async (file: Buffer) => [...(await pixelsOf((await readPicture(file)).bytes))];
  t.deepEqual(await read(indexed), [255, 0, 0, 255, 0, 0, 255, 0]);
  const deep = greyPng({ width: 1, height: 1, depth: 16 }, Buffer.from([0, 0x80, 0]));
  t.deepEqual(await read(deep), [128, 128, 128, 255]);
  const interlaced = greyPng({ width: 1, height: 1, interlace: 1 }, Buffer.from([0, 77]));
  t.deepEqual(await read(interlaced), [77, 77, 77, 255]);
});

/** The same each time, since what a picture of other noise takes is up to chance. */
const noiseOf = (length: number): Buffer =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length));

test('a small file is not stored as a large picture', async (t) => {
  const { width, height } = logoLimits;
  const tile = noiseOf(width * 4 * 5);
  const tiled = await png(width, height, Buffer.concat(Array(height / 5).fill(tile)));
  const { bytes } = await readPicture(tiled);
  t.true(bytes.length < 64 * 1024, `${bytes.length} bytes`);
  // Each row adds the same noise to the row above, so that only the filter of the file packs it.
  const up = Buffer.concat([Buffer.from([2]), noiseOf(width * 4)]);
  const rows = Buffer.concat(Array(height).fill(up));
  const noise = greyPng({ width, height, colorType: 6 }, rows);
  t.true(noise.length < 25 * 1024, `${noise.length} bytes`);
  const stored = (await readPicture(noise)).bytes;
  t.true(stored.length <= logoLimits.bytes, `${stored.length} bytes`);
});

test.serial(
  'a small file of 16-bit noise is decoded once, encoded once, and reduced once',
  async (t) => {
    const { width, height } = logoLimits;
    const up = Buffer.concat([Buffer.from([2]), noiseOf(width * 8)]);
    const rows = Buffer.concat(Array(height).fill(up));
    const noise = greyPng({ width, height, depth: 16, colorType: 6 }, rows);
    t.true(noise.length < 64 * 1024, `${noise.length} bytes`);
    let steps = 0;
    const { toBuffer } = sharp.prototype;
    t.teardown(() => Object.assign(sharp.prototype, { toBuffer }));
    sharp.prototype.toBuffer = function (this: Sharp, ...args: never[]) {
      steps += 1;
      return Reflect.apply(toBuffer, this, args);
    };
    const { bytes } = await readPicture(noise);
    t.true(bytes.length <= logoLimits.bytes, `${bytes.length} bytes`);
    t.is(steps, 3);
  },
);

/** The interlacing pass of each pixel in a square of eight by eight. */
const adam7 = [
  '16462646',
  '77777777',
  '56565656',
  '77777777',
  '36463646',
  '77777777',
  '56565656',
  '77777777',
];

/** The size of a greyscale PNG's unpacked rows, counted pixel by pixel. */
function unpackedBytes({ width, height, depth = 8, interlace = 0 }: Header): number {
  const rows = new Map<string, number>();
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const row = `${interlace ? adam7[y % 8]?.[x % 8] : ''} ${y}`;
      rows.set(row, (rows.get(row) ?? 0) + 1);
    }
  }
  return [...rows.values()].reduce((sum, count) => sum + 1 + Math.ceil((count * depth) / 8), 0);
}

test('a PNG with missing pixels is refused, not filled from memory', async (t) => {
  for (const interlace of [0, 1]) {
    for (const depth of [1, 2, 4, 8, 16]) {
      for (let width = 1; width <= 9; width++) {
        for (let height = 1; height <= 9; height++) {
          const picture = { width, height, depth, interlace };
          const bytes = unpackedBytes(picture);
          const name = JSON.stringify(picture);
          // The rows of an interlacing pass depend on the height, and its columns on the width.
          if ([width, height].some((side) => side % 4 === 1)) {
            const read = await readPicture(greyPng(picture, Buffer.alloc(bytes)));
            t.like(read, { width, height }, name);
          }
          const short = greyPng(picture, Buffer.alloc(bytes - 1));
          const refused = { instanceOf: PictureError, message: /damaged/ };
          await t.throwsAsync(readPicture(short), refused, name);
        }
      }
    }
  }
});

test('only the pixels of a file are kept', async (t) => {
  const script = '<script>alert(1)</script>';
  const text = chunk('tEXt', Buffer.from(`Comment\0${script}`));
  const exif = chunk('eXIf', Buffer.from('GPS 48.1,11.5'));
  const rows = Buffer.from([0, 5]);
  const pngs = [
    greyPng({ width: 1, height: 1 }, rows, text, exif),
    // Data after the end of the picture, such as an archive or a page.
    Buffer.concat([greyPng({ width: 1, height: 1 }, rows), Buffer.from(`PK\u0003\u0004${script}`)]),
  ];
  const [app, comment] = [0xe1, 0xfe].map((marker) => {
    const body = Buffer.from(`Exif GPS 48.1,11.5 ${script}`);
    return Buffer.concat([Buffer.from([0xff, marker, 0, body.length + 2]), body]);
  }) as [Buffer, Buffer];
  const plain = await jpg(16, 16);
  const jpgs = [
    Buffer.concat([plain.subarray(0, 2), app, comment, plain.subarray(2)]),
    Buffer.concat([plain, Buffer.from(script)]),
  ];
  for (const file of [...pngs, ...jpgs]) {
    const { bytes } = await readPicture(file);
    t.false(bytes.includes('script'));
    t.false(bytes.includes('GPS'));
  }
});

const { width: maxWidth, height: maxHeight } = logoLimits;

test('the largest allowed picture is read, in either format', async (t) => {
  const size = { width: maxWidth, height: maxHeight };
  const plain = sharp({ create: { ...size, channels: 4, background: '#c8c8c8' } });
  t.like(await readPicture(await plain.png().toBuffer()), { type: 'png', ...size });
  t.like(await readPicture(await plain.jpeg().toBuffer()), { type: 'jpg', ...size });
});

test('of a PNG that unpacks to more than its pixels, only those are read', async (t) => {
  for (const size of [
    { width: 1, height: 1 },
    { width: 8, height: 8, interlace: 1 },
  ]) {
    const { bytes } = await readPicture(greyPng(size, Buffer.alloc(10_000_000)));
    t.true(bytes.length < 200);
  }
});

const small = jpg(16, 16);

async function resized(width: number, height: number): Promise<Buffer> {
  const file = Buffer.from(await small);
  const at = file.indexOf(Buffer.from([0xff, 0xc0]));
  file.writeUInt16BE(height, at + 5);
  file.writeUInt16BE(width, at + 7);
  return file;
}

async function withFrame(marker: number): Promise<Buffer> {
  const file = Buffer.from(await small);
  file.writeUInt8(marker, file.indexOf(Buffer.from([0xff, 0xc0])) + 1);
  return file;
}

/** A progressive picture with a scan repeated: each costs a pass over the whole picture. */
async function withScans(count: number): Promise<Buffer> {
  const file = await picture(16, 16).jpeg({ progressive: true }).toBuffer();
  const from = file.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scans = Array(count).fill(file.subarray(from, -2));
  return Buffer.concat([file.subarray(0, from), ...scans, file.subarray(-2)]);
}

const onePixel = Buffer.from([0, 5]);
const whole = png(40, 20);
const hostile: Record<string, [file: Buffer | Promise<Buffer>, said: RegExp]> = {
  nothing: [Buffer.alloc(0), /Choose a PNG or JPEG/],
  'an SVG': [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /Choose a PNG or JPEG/],
  'an HTML page sent as a picture': [
    Buffer.from('<!doctype html><script>'),
    /Choose a PNG or JPEG/,
  ],
  'a GIF': [Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), /Choose a PNG or JPEG/],
  'a file that is too large': [Buffer.concat([start, Buffer.alloc(logoLimits.bytes)]), /256 KiB/],
  'a PNG with only its signature': [start, /damaged/],
  'a truncated PNG': [whole.then((file) => file.subarray(0, -20)), /damaged/],
  'a PNG with a wrong checksum': [
    whole.then((file) => Buffer.concat([file.subarray(0, 29), Buffer.alloc(4), file.subarray(33)])),
    /damaged/,
  ],
  'a PNG whose chunk is longer than the file': [
    Buffer.concat([start, Buffer.from([0x7f, 0xff, 0xff, 0xff]), Buffer.from('IHDR'), onePixel]),
    /damaged/,
  ],
  'a PNG without a header': [Buffer.concat([start, end]), /damaged/],
  'a PNG with a second header': [
    greyPng({ width: 9, height: 9 }, Buffer.alloc(90), header({ width: 3, height: 3 })),
    /damaged/,
  ],
  'a PNG without pixels': [Buffer.concat([start, header({ width: 1, height: 1 }), end]), /damaged/],
  'a PNG of size zero': [greyPng({ width: 0, height: 0 }, onePixel), /damaged/],
  'a PNG of an unknown colour type': [
    greyPng({ width: 1, height: 1, colorType: 5 }, onePixel),
    /damaged/,
  ],
  'a PNG that is too wide': [greyPng({ width: maxWidth + 1, height: 1 }, onePixel), /pixels/],
  'a PNG of billions of pixels': [
    greyPng({ width: 1_000_000, height: 1_000_000 }, onePixel),
    /pixels/,
  ],
  'a PNG larger than any decoder allows': [
    greyPng({ width: 0x7fffffff, height: 0x7fffffff }, onePixel),
    /damaged/,
  ],
  'a PNG with fewer rows than declared': [greyPng({ width: 9, height: 9 }, onePixel), /damaged/],
  'a JPEG with only its start': [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), /damaged/],
  'a truncated JPEG': [jpg(64, 64).then((file) => file.subarray(0, -40)), /damaged/],
  'a JPEG without a picture': [Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /damaged/],
  'a JPEG that is too high': [resized(16, maxHeight + 1), /pixels/],
  'a JPEG of billions of pixels': [resized(65_500, 65_500), /pixels/],
  'a JPEG of size zero': [resized(0, 16), /damaged/],
  'a lossless JPEG': [withFrame(0xc3), /damaged/],
  'a JPEG with too many scans': [withScans(2_000), /damaged/],
};
for (const [name, [file, said]] of Object.entries(hostile)) {
  test(`${name} is refused`, async (t) => {
    await t.throwsAsync(readPicture(await file), { instanceOf: PictureError, message: said });
  });
}

test('with any bit flipped, a file is read or refused, without any other error', async (t) => {
  const [ofPng, ofJpg] = [await png(24, 12), await jpg(24, 12)];
  const flipped: [file: Buffer, isFlipped: (at: number) => boolean][] = [
    [ofPng, (at) => at % 3 === 2],
    // The header of each segment follows 0xff. Most other flips give a picture that is still read, slowly.
    [ofJpg, (at) => at % 25 === 0 || at - ofJpg.lastIndexOf(0xff, at) < 20],
  ];
  for (const [file, isFlipped] of flipped) {
    for (const at of [...file.keys()].filter(isFlipped)) {
      const turned = Buffer.from(file);
      turned.writeUInt8(turned.readUInt8(at) ^ (1 << (at % 8)), at);
      try {
        const { width, height, bytes } = await readPicture(turned);
        t.true(width <= maxWidth && height <= maxHeight && bytes.length > 0);
      } catch (error) {
        t.true(error instanceof PictureError, String(error));
      }
    }
  }
});
