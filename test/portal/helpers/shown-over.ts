import { eventually } from '../../helpers/eventually.ts';
import type { Browser, Shown } from './browser.ts';

/** Loads the page of a job, as somebody without JavaScript does, until it is over. */
export async function shownOver(browser: Browser, path: string): Promise<Shown> {
  return await eventually(async () => {
    const shown = await browser.open(path);
    return !shown.html.includes('<progress') && shown;
  }, 'the job is over');
}
