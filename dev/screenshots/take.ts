import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { newVisitor } from '../../test/e2e/portal/helpers/visitor.ts';
import { type PictureSpec, type PictureViewer, pictures } from './pictures.ts';
import { type ScreenshotSetup, setUpScreenshots } from './setup.ts';

const width = 1_280;
const height = 800;

interface TakeOptions {
  chromiumPath: string;
  folder: string;
  /** The pictures to take; empty for all. */
  names: readonly string[];
  log: (line: string) => void;
}

/** Takes the pictures of the documentation. @throws Error for an unknown name */
export async function takePictures({ chromiumPath, folder, names, log }: TakeOptions) {
  const unknown = names.filter((name) => !pictures.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`Unknown pictures: ${unknown.join(', ')}.`);
  await mkdir(folder, { recursive: true });
  const setup = await setUpScreenshots();
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Coloured subpixel edges make a picture half as large again, and look odd on other screens.
    args: ['--disable-lcd-text'],
  });
  try {
    for (const picture of pictures) {
      if (names.length > 0 && !names.includes(picture.name)) continue;
      await take(browser, setup, picture, folder);
      log(`${picture.name}.png`);
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
  folder: string,
) {
  const visitor = await newVisitor(browser, setup.portal.url, {
    width: picture.width ?? width,
    colorScheme: picture.isDark ? 'dark' : 'light',
    session: cookieOf(setup, picture.as),
    ...(picture.language && { language: picture.language }),
  });
  const { page } = visitor;
  await page.setViewportSize({ width: picture.width ?? width, height: picture.height ?? height });
  const { path } = picture;
  const status = await visitor.open(typeof path === 'string' ? path : path(setup));
  if (status !== 200) throw new Error(`${picture.name}: the page returned ${status}`);
  await picture.act?.(visitor);
  await page.screenshot({ path: join(folder, `${picture.name}.png`) });
  await visitor.close();
}

function cookieOf({ cookies }: ScreenshotSetup, viewer: PictureViewer): string | undefined {
  return viewer === 'customer' ? undefined : cookies[viewer];
}
