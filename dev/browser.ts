import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Binary, firstUsable, type Log, type ProgramSource } from './servers/programs.ts';
import { canInstallDebian, installDebian } from './tools/debian.ts';

/** The names of Chromium's program. The headless shell has no window, and takes half of the processor time. */
const names = [
  ...['chromium-headless-shell', 'chrome-headless-shell'],
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
];
const debianPackage = 'chromium-headless-shell';
/** Its location on systems that do not put it on the PATH. */
const files = [
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Finds Chromium for tests of pages and screenshots: `CHROMIUM_PATH`, or an installed one.
 * @returns the path of the program
 * @throws Error that says how to install it
 */
export async function findChromium(env: NodeJS.ProcessEnv, log: Log): Promise<string> {
  const advice = `Install it, on Debian with \`apt-get install ${debianPackage}\`, or set CHROMIUM_PATH.`;
  const { path } = await firstUsable('Chromium', chromiumSources(env), log, advice);
  return path;
}

function chromiumSources(env: NodeJS.ProcessEnv): ProgramSource[] {
  const folders = (env.PATH ?? '').split(delimiter);
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [
    { name: 'CHROMIUM_PATH', find: async () => named(env.CHROMIUM_PATH) },
    { name: 'the PATH', find: async () => named(onPath.find(existsSync)) },
    { name: 'its usual location', find: async () => named(files.find(existsSync)) },
  ];
}

const named = (path: string | undefined): Binary | undefined => (path ? { path } : undefined);

/** Installs Debian's package where none is found, if that needs no confirmation. */
export async function installChromium(env: NodeJS.ProcessEnv, log: Log): Promise<void> {
  const isFound = await findChromium(env, () => undefined).catch(() => undefined);
  if (isFound || !canInstallDebian()) return;
  log(`Installing Chromium (apt-get install ${debianPackage}). This takes a minute.`);
  await installDebian([debianPackage], () => existsSync(`/usr/bin/${debianPackage}`));
}
