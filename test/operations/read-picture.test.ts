import { crc32, deflateSync } from 'node:zlib';
import test from 'ava';
import jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { logoLimits } from '../../domain/branding.ts';
import { PictureError, readPicture } from '../../operations/branding/read-picture.ts';

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

/** A greyscale PNG with the given unpacked rows. */
const greyPng = (of: Header, rows: Uint8Array, ...between: Buffer[]): Buffer =>
  Buffer.concat([start, header(of), ...between, chunk('IDAT', deflateSync(rows)), end]);

/** Varying pixels. */
function pixels(width: number, height: number, alpha = 255): Buffer {
  const data = Buffer.alloc(width * height * 4);
  for (let at = 0; at < data.length; at += 4) {
    data.set([at % 251, (at * 3) % 241, (at * 7) % 239, alpha], at);
  }
  return data;
}

function png(width: number, height: number, alpha = 255): Buffer {
  const picture = new PNG({ width, height });
  pixels(width, height, alpha).copy(picture.data);
  return PNG.sync.write(picture);
}

const jpg = (width: number, height: number): Buffer =>
  Buffer.from(jpeg.encode({ width, height, data: pixels(width, height) }, 90).data);

test('a PNG keeps its pixels and its transparency', (t) => {
  for (const alpha of [255, 100]) {
    const read = readPicture(png(40, 20, alpha));
    t.like(read, { type: 'png', width: 40, height: 20 });
    t.deepEqual(PNG.sync.read(read.bytes).data, pixels(40, 20, alpha));
  }
});

test('a JPEG stays a JPEG', (t) => {
  const read = readPicture(jpg(64, 32));
  t.like(read, { type: 'jpg', width: 64, height: 32 });
  const { width, height } = jpeg.decode(read.bytes);
  t.deepEqual([width, height], [64, 32]);
});

test('palette, 16-bit and interlaced PNGs are read', (t) => {
  const palette = chunk('PLTE', Buffer.from([255, 0, 0, 0, 0, 255]));
  const indexed = greyPng(
    { width: 2, height: 1, colorType: 3 },
    Buffer.from([0, 0, 1]),
    palette,
    chunk('tRNS', Buffer.from([255, 0])),
  );
  t.deepEqual([...PNG.sync.read(readPicture(indexed).bytes).data], [255, 0, 0, 255, 0, 0, 255, 0]);
  const deep = greyPng({ width: 1, height: 1, depth: 16 }, Buffer.from([0, 0x80, 0]));
  t.deepEqual([...PNG.sync.read(readPicture(deep).bytes).data], [128, 128, 128, 255]);
  const interlaced = greyPng({ width: 1, height: 1, interlace: 1 }, Buffer.from([0, 77]));
  t.deepEqual([...PNG.sync.read(readPicture(interlaced).bytes).data], [77, 77, 77, 255]);
});

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

test('a PNG with missing pixels is refused, not filled from memory', (t) => {
  for (const interlace of [0, 1]) {
    for (const depth of [1, 2, 4, 8, 16]) {
      for (let width = 1; width <= 9; width++) {
        for (let height = 1; height <= 9; height++) {
          const picture = { width, height, depth, interlace };
          const bytes = unpackedBytes(picture);
          const name = JSON.stringify(picture);
          // The rows of an interlacing pass depend on the height, and its columns on the width.
          if ([width, height].some((side) => side % 4 === 1)) {
            t.like(readPicture(greyPng(picture, Buffer.alloc(bytes))), { width, height }, name);
          }
          const short = greyPng(picture, Buffer.alloc(bytes - 1));
          t.throws(
            () => readPicture(short),
            { instanceOf: PictureError, message: /damaged/ },
            name,
          );
        }
      }
    }
  }
});

test('only the pixels of a file are kept', (t) => {
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
  const plain = jpg(16, 16);
  const jpgs = [
    Buffer.concat([plain.subarray(0, 2), app, comment, plain.subarray(2)]),
    Buffer.concat([plain, Buffer.from(script)]),
  ];
  for (const file of [...pngs, ...jpgs]) {
    const { bytes } = readPicture(file);
    t.false(bytes.includes('script'));
    t.false(bytes.includes('GPS'));
  }
});

const { width: maxWidth, height: maxHeight } = logoLimits;

test('the largest allowed picture is read, in either format', (t) => {
  const plain = new PNG({ width: maxWidth, height: maxHeight });
  plain.data.fill(200);
  t.like(readPicture(PNG.sync.write(plain)), { width: maxWidth, height: maxHeight });
  const data = Buffer.alloc(maxWidth * maxHeight * 4, 90);
  const large = Buffer.from(jpeg.encode({ width: maxWidth, height: maxHeight, data }, 50).data);
  t.like(readPicture(large), { type: 'jpg', width: maxWidth, height: maxHeight });
});

const small = jpg(16, 16);

const resized = (width: number, height: number): Buffer => {
  const file = Buffer.from(small);
  const at = file.indexOf(Buffer.from([0xff, 0xc0]));
  file.writeUInt16BE(height, at + 5);
  file.writeUInt16BE(width, at + 7);
  return file;
};

function withFrame(marker: number): Buffer {
  const file = Buffer.from(small);
  file.writeUInt8(marker, file.indexOf(Buffer.from([0xff, 0xc0])) + 1);
  return file;
}

function withScans(count: number): Buffer {
  const at = small.indexOf(Buffer.from([0xff, 0xda]));
  const scan = small.subarray(at, -2);
  return Buffer.concat([small.subarray(0, at), ...Array(count).fill(scan), small.subarray(-2)]);
}

const onePixel = Buffer.from([0, 5]);
const whole = png(40, 20);
const hostile: Record<string, [file: Buffer, said: RegExp]> = {
  nothing: [Buffer.alloc(0), /Choose a PNG or JPEG/],
  'an SVG': [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /Choose a PNG or JPEG/],
  'an HTML page sent as a picture': [
    Buffer.from('<!doctype html><script>'),
    /Choose a PNG or JPEG/,
  ],
  'a GIF': [Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), /Choose a PNG or JPEG/],
  'a file that is too large': [Buffer.concat([start, Buffer.alloc(logoLimits.bytes)]), /256 KiB/],
  'a PNG with only its signature': [start, /damaged/],
  'a truncated PNG': [whole.subarray(0, -20), /damaged/],
  'a PNG without an end': [whole.subarray(0, -12), /damaged/],
  'a PNG with a wrong checksum': [
    Buffer.concat([whole.subarray(0, 29), Buffer.alloc(4), whole.subarray(33)]),
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
  'a PNG with a second header after the pixels': [
    Buffer.concat([
      greyPng({ width: 9, height: 9 }, Buffer.alloc(90)).subarray(0, -end.length),
      header({ width: 3, height: 3 }),
      end,
    ]),
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
    greyPng({ width: 0x7fffffff, height: 0x7fffffff }, onePixel),
    /pixels/,
  ],
  'a PNG that unpacks to 10 MB': [
    greyPng({ width: 1, height: 1 }, Buffer.alloc(10_000_000)),
    /damaged/,
  ],
  'an interlaced PNG that unpacks to 10 MB': [
    greyPng({ width: 8, height: 8, interlace: 1 }, Buffer.alloc(10_000_000)),
    /damaged/,
  ],
  'a PNG with fewer rows than declared': [greyPng({ width: 9, height: 9 }, onePixel), /damaged/],
  'a JPEG with only its start': [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), /damaged/],
  'a truncated JPEG': [jpg(64, 64).subarray(0, -40), /damaged/],
  'a JPEG without a picture': [Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /damaged/],
  'a JPEG that is too high': [resized(16, maxHeight + 1), /pixels/],
  'a JPEG of billions of pixels': [resized(65_535, 65_535), /pixels/],
  'a JPEG of size zero': [resized(0, 16), /damaged/],
  'an arithmetic JPEG': [withFrame(0xc9), /kind of JPEG/],
  'a lossless JPEG': [withFrame(0xc3), /kind of JPEG/],
  'a JPEG with too many scans': [withScans(40), /damaged/],
};
for (const [name, [file, said]] of Object.entries(hostile)) {
  test(`${name} is refused`, (t) => {
    t.throws(() => readPicture(file), { instanceOf: PictureError, message: said });
  });
}

test('with any bit flipped, a file is read or refused, without any other error', (t) => {
  const [ofPng, ofJpg] = [png(24, 12), jpg(24, 12)];
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
        const { width, height, bytes } = readPicture(turned);
        t.true(width <= maxWidth && height <= maxHeight && bytes.length > 0);
      } catch (error) {
        t.true(error instanceof PictureError, String(error));
      }
    }
  }
});
