import { type Browser, chromium } from 'playwright-core';
import { type OwnService, startOwnService } from '../../../helpers/own-service.ts';
import { operatorBrowser } from '../../../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../../../portal/helpers/portal.ts';
import { newVisitor, type Visitor, type VisitorWish } from './visitor.ts';

/** The service, its portal and a browser, for one test file. */
export interface Stage {
  service: OwnService;
  portal: TestPortal;
  browser: Browser;
  /** Somebody at a browser of their own; it is closed with the stage. */
  visitor(wish?: VisitorWish): Promise<Visitor>;
  /** An admin whose second factor was given just now. */
  admin(): Promise<Visitor>;
  stop(): Promise<void>;
}

/** @param env changes of the service's configuration */
export async function startStage(env: Record<string, string> = {}): Promise<Stage> {
  const browser = await launchBrowser();
  const service = await startOwnService(env);
  const portal = await startPortal(service);
  return {
    service,
    portal,
    browser,
    visitor: (wish = {}) => newVisitor(browser, portal.url, wish),
    async admin() {
      const { cookies } = await operatorBrowser(portal);
      return await newVisitor(browser, portal.url, { session: cookies.get('session') });
    },
    async stop() {
      await browser.close();
      await portal.stop();
      await service.stop();
    },
  };
}

async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH;
  if (!executablePath) {
    throw new Error(
      'Pages are tested in Chromium, which `npm run test:e2e` finds or installs. It has none.',
    );
  }
  return await chromium.launch({ executablePath });
}
