import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from './binary.ts';
import { createProgress } from './progress.ts';

/** A host that does not respond within this time counts as unreachable. */
const probePatienceMs = 4_000;
/** A download that receives nothing for this long has failed. */
const stallMs = 15_000;

/**
 * Checks that a file can be downloaded, without downloading it.
 * @throws Error with the reason, within seconds
 */
async function probe(url: string): Promise<void> {
  await askSoon(url, 'HEAD');
}

/**
 * Downloads a small text.
 * @throws Error with the reason, within seconds
 */
export async function fetchText(url: string): Promise<string> {
  return await (await askSoon(url, 'GET')).text();
}

async function askSoon(url: string, method: 'HEAD' | 'GET'): Promise<Response> {
  const response = await throughProxy(() =>
    fetch(url, { method, signal: AbortSignal.timeout(probePatienceMs) }),
  ).catch((error: unknown) => {
    throw new Error(`${new URL(url).host} cannot be reached`, { cause: error });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(`${new URL(url).host} answers ${response.status}`);
}

export interface PinnedFile {
  url: string;
  /** In lower-case hex. */
  sha256: string;
}

/**
 * Downloads a file of known content, with progress.
 * @throws Error if it cannot be downloaded, stalls, or does not match the checksum; the target is then
 * removed
 */
export async function download(
  file: PinnedFile,
  target: string,
  label: string,
  log: Log,
): Promise<void> {
  await probe(file.url);
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error('the download stalled')), stallMs);
  const hash = createHash('sha256');
  try {
    await throughProxy(async () => {
      const response = await fetch(file.url, { signal: stalled.signal });
      if (!response.ok || !response.body) throw new Error(`${file.url}: ${response.status}`);
      const progress = createProgress(label, Number(response.headers.get('content-length')), log);
      const watch = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          timer.refresh();
          hash.update(chunk);
          progress.add(chunk.length);
          done(null, chunk);
        },
      });
      await pipeline(Readable.fromWeb(response.body), watch, createWriteStream(target));
      progress.end();
    });
    const found = hash.digest('hex');
    if (found !== file.sha256) {
      throw new Error(`${file.url} has checksum ${found}, not ${file.sha256}: refused`);
    }
  } catch (error) {
    await rm(target, { force: true });
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** HTTPS_PROXY and similar variables apply to downloads only, never to requests to our own servers. */
async function throughProxy<T>(work: () => Promise<T>): Promise<T> {
  const restore = setGlobalProxyFromEnv();
  try {
    return await work();
  } finally {
    restore();
  }
}
