import { eventually } from '../../helpers/eventually.ts';
import type { Browser, Shown } from './browser.ts';

/** Reloads the page of a job until the job has finished, like a browser without JavaScript. */
export async function finishedJobPage(browser: Browser, path: string): Promise<Shown> {
  return await eventually(async () => {
    const shown = await browser.open(path);
    return !shown.html.includes('<progress') && shown;
  }, 'the job has finished');
}
