import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { newVisitor, type Visitor } from '../test/e2e/portal/helpers/visitor.ts';
import { findChromium } from './browser.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import type { ScreenshotSetup } from './screenshots-shop.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { throwawayFolder } from './test/throwaway-folder.ts';
import { startThrowawayServers } from './throwaway-servers.ts';

/**
 * `npm run make -- screenshots`: fills a test service with a shop's recent weeks, and saves pictures of the main
 * pages in `docs/screenshots/`, light and dark. Arguments name the pictures to take; the default is all.
 */
const folder = fileURLToPath(new URL('../docs/screenshots', import.meta.url));
const width = 1_280;
const height = 800;

type PictureViewer = 'customer' | 'partnerInSetUp' | 'owner' | 'operator';

interface PictureSpec {
  /** The file's name. */
  name: string;
  as: PictureViewer;
  /** The page's path, possibly depending on the shop. */
  path: string | ((setup: ScreenshotSetup) => string);
  /** Actions before the picture is taken. */
  act?: (visitor: Visitor) => Promise<void>;
  width?: number;
  height?: number;
}

const phone = { width: 390, height: 760 };

/** The pictures of the documentation: add a line for a new one. */
const pictures: readonly PictureSpec[] = [
  { name: 'claim', as: 'customer', ...phone, path: ({ openLink }) => openLink },
  {
    name: 'email-offer',
    as: 'owner',
    path: '/branding/email.html?why=OFFER&language=en',
    width: 600,
    height: 480,
  },
  { name: 'set-up', as: 'partnerInSetUp', path: '/home', height: 1_050 },
  { name: 'home', as: 'owner', path: '/home' },
  { name: 'order', as: 'owner', path: ({ orderPath }) => orderPath, height: 830 },
  { name: 'doctor', as: 'owner', path: ({ refusedPath }) => refusedPath, height: 900 },
  {
    name: 'test-console',
    as: 'owner',
    path: '/console',
    height: 1_050,
    async act(visitor) {
      await visitor.press('Sign and send');
      await visitor.page.getByText('The funds cover the reward').waitFor();
    },
  },
  { name: 'today', as: 'operator', path: '/admin', height: 900 },
  { name: 'review', as: 'operator', path: ({ reviewPath }) => reviewPath, height: 1_050 },
  { name: 'partner', as: 'operator', path: ({ partnerPath }) => partnerPath, height: 1_000 },
];

async function takeAll(): Promise<void> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'screenshots-'));
  try {
    const chromiumPath = await findChromium(process.env, log);
    const { env } = await startThrowawayServers({ dataDir, log });
    Object.assign(process.env, env, { WORKFLOW_BUNDLE: await bundleWorkflows() });
    await takePictures(chromiumPath, process.argv.slice(2));
  } finally {
    await stopAllProcesses();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @param names of the pictures to take; empty for all. @throws Error for an unknown name */
async function takePictures(chromiumPath: string, names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !pictures.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`Unknown pictures: ${unknown.join(', ')}.`);
  await mkdir(folder, { recursive: true });
  // The test service reads the environment when it is loaded.
  const { setUpScreenshots } = await import('./screenshots-shop.ts');
  const setup = await setUpScreenshots();
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Coloured subpixel edges make a picture half as large again, and look odd on other screens.
    args: ['--disable-lcd-text'],
  });
  try {
    for (const picture of pictures) {
      if (names.length > 0 && !names.includes(picture.name)) continue;
      for (const scheme of ['light', 'dark'] as const) {
        await take(browser, setup, picture, scheme);
      }
      log(picture.name);
    }
  } finally {
    await browser.close();
    await setup.stop();
  }
}

async function take(
  browser: Browser,
  setup: ScreenshotSetup,
  picture: PictureSpec,
  colorScheme: 'light' | 'dark',
) {
  const visitor = await newVisitor(browser, setup.portal.url, {
    width: picture.width ?? width,
    colorScheme,
    session: cookieOf(setup, picture.as),
  });
  const { page } = visitor;
  await page.setViewportSize({ width: picture.width ?? width, height: picture.height ?? height });
  const { path } = picture;
  const status = await visitor.open(typeof path === 'string' ? path : path(setup));
  if (status !== 200) throw new Error(`${picture.name}: the page returned ${status}`);
  await picture.act?.(visitor);
  const file = `${picture.name}${colorScheme === 'dark' ? '-dark' : ''}.png`;
  await page.screenshot({ path: join(folder, file) });
  await visitor.close();
}

function cookieOf({ cookies }: ScreenshotSetup, viewer: PictureViewer): string | undefined {
  return viewer === 'customer' ? undefined : cookies[viewer];
}

await runUntilShutdown(shutdownRequested(), takeAll);
await shutDown(0);
