import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import type { Binary, Log } from './binary.ts';
import { download, fetchText } from './download.ts';
import { exists, installAtOnce } from './install.ts';
import { unpackFromTar } from './unpack.ts';

/** A server program from its vendor: an archive of one version, and the archive's SHA-256. */
export interface OfficialProgram {
  program: string;
  version: string;
  /** The end of the program's path in the archive. */
  member: string;
  /** A `.tar.gz`. */
  archiveUrl: string;
  /** The vendor's checksum file: a line per archive, with its SHA-256 and name. */
  checksumsUrl: string;
}

const mongodVersion = '8.0.17';
const temporalVersion = '1.9.1';

/** mongod from mongodb.org; mongodb-memory-server knows the right build for each system. */
export async function officialMongod(): Promise<OfficialProgram> {
  const options = await DryMongoBinary.generateOptions({ version: mongodVersion });
  const archiveUrl = await new MongoBinaryDownloadUrl(options).getDownloadUrl();
  return {
    program: 'mongod',
    version: mongodVersion,
    member: '/bin/mongod',
    archiveUrl,
    checksumsUrl: `${archiveUrl}.sha256`,
  };
}

/** The Temporal CLI from its releases on GitHub. */
export function officialTemporal(): OfficialProgram {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const release = `https://github.com/temporalio/cli/releases/download/v${temporalVersion}`;
  const archive = `temporal_cli_${temporalVersion}_${process.platform}_${arch}.tar.gz`;
  return {
    program: 'temporal',
    version: temporalVersion,
    member: 'temporal',
    archiveUrl: `${release}/${archive}`,
    checksumsUrl: `${release}/checksums.txt`,
  };
}

/** The program from the cache, if an earlier run downloaded it from its vendor. */
export async function cachedOfficial(
  { program, version }: Pick<OfficialProgram, 'program' | 'version'>,
  cacheDir: string,
): Promise<Binary | undefined> {
  const path = join(cacheDir, `${program}-${version}`, program);
  return (await exists(path)) ? { path } : undefined;
}

/**
 * Downloads the program into the cache folder, after checking its archive against the vendor's SHA-256.
 * @throws Error, within seconds if the vendor cannot be reached
 */
export async function installOfficial(
  official: OfficialProgram,
  cacheDir: string,
  log: Log,
): Promise<Binary> {
  const { program, version, member, archiveUrl, checksumsUrl } = official;
  const name = basename(new URL(archiveUrl).pathname);
  const sha256 = checksumOf(name, await fetchText(checksumsUrl));
  if (sha256 === undefined) throw new Error(`${checksumsUrl} has no SHA-256 of ${name}`);
  const place = await installAtOnce(cacheDir, `${program}-${version}`, async (draft) => {
    const archive = join(draft, 'archive.tar.gz');
    await download({ url: archiveUrl, sha256 }, archive, `  ${program} ${version}`, log);
    await unpackFromTar(archive, member, join(draft, program));
    await rm(archive);
  });
  return { path: join(place, program) };
}

/** The SHA-256 in a file's line, in lower-case hex. */
function checksumOf(name: string, checksums: string): string | undefined {
  for (const line of checksums.split('\n')) {
    const [sha256 = '', file] = line.trim().split(/\s+\*?/);
    if (file === name && /^[0-9a-f]{64}$/i.test(sha256)) return sha256.toLowerCase();
  }
  return undefined;
}
