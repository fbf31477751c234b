import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { sha256Hex } from '../../platform/hashing.ts';
import { findBrandSheet } from './brand.ts';

const resolve = createRequire(import.meta.url).resolve;
const own = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const fontOf = (weight: string): string =>
  resolve(`@expo-google-fonts/noto-sans/${weight}/NotoSans_${weight}.ttf`);

/** The assets that pages link: files of dependencies and our own. */
const sources = {
  'pico.css': resolve('@picocss/pico/css/pico.min.css'),
  'portal.css': own('portal.css'),
  'customer.css': own('customer.css'),
  'htmx.js': resolve('htmx.org/dist/htmx.min.js'),
  'portal.js': own('portal.js'),
  'local-time.js': own('local-time.js'),
  'reference.css': own('../../http/reference.css'),
  'icon.svg': own('icon.svg'),
  'noto-sans-400.ttf': fontOf('400Regular'),
  'noto-sans-500.ttf': fontOf('500Medium'),
  'noto-sans-600.ttf': fontOf('600SemiBold'),
};

/** The portal's type face; a sheet of its own, since it names the files by their hashes. */
const fontSheet = 'fonts.css';
const weights = [400, 500, 600] as const;

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

export interface Asset {
  type: string;
  /** The content in an encoding that the browser accepts; compressed on first request, then cached. */
  bytes(encoding: Encoding): Promise<Buffer>;
}

/** Names in `Content-Encoding`, best first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

export type AssetName = keyof typeof sources | typeof fontSheet;

export interface LoadedAssets {
  /** The address of an asset. Its name contains a hash of its content, so it can be cached forever. */
  pathOf(name: AssetName): string;
  /** @param path of a request */
  find(path: string): Asset | undefined;
}

/** The maximum quality takes seconds for a megabyte of JavaScript. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };

const encoders: Record<Encoding, (plain: Buffer) => Promise<Buffer>> = {
  br: (plain) => promisify(brotliCompress)(plain, { params }),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: async (plain) => plain,
};

function createAsset(type: string, plain: Buffer): Asset {
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return {
    type,
    bytes(encoding) {
      const bytes = encoded.get(encoding) ?? encoders[encoding](plain);
      encoded.set(encoding, bytes);
      return bytes;
    },
  };
}

export function loadAssets(): LoadedAssets {
  const paths = new Map<string, string>();
  const assets = new Map<string, Asset>();
  const add = (name: string, plain: Buffer): void => {
    const extension = extname(name);
    const stem = name.slice(0, -extension.length);
    const path = `/assets/${stem}.${sha256Hex(plain).slice(0, 16)}${extension}`;
    paths.set(name, path);
    const type = types[extension] ?? 'application/octet-stream';
    assets.set(path, createAsset(type, plain));
  };
  for (const [name, file] of Object.entries(sources)) add(name, readFileSync(file));
  const faces = weights.map(
    (weight) =>
      `@font-face{font-family:"Noto Sans";font-weight:${weight};font-display:swap;src:url(${paths.get(`noto-sans-${weight}.ttf`)})}`,
  );
  add(fontSheet, Buffer.from(faces.join('\n')));
  return {
    pathOf(name) {
      return paths.get(name) ?? '';
    },
    find(path) {
      const sheet = findBrandSheet(path);
      return sheet === undefined
        ? assets.get(path)
        : createAsset('text/css; charset=utf-8', Buffer.from(sheet));
    },
  };
}
