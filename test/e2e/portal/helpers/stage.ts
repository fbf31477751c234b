import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../../../dev/browser.ts';
import { type OwnService, startOwnService } from '../../../helpers/own-service.ts';
import { operatorBrowser } from '../../../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../../../portal/helpers/portal.ts';
import { newVisitor, type Visitor, type VisitorOptions } from './visitor.ts';

/** A service, its portal and a browser, for one test file. */
export interface Stage {
  service: OwnService;
  portal: TestPortal;
  browser: Browser;
  /** Opens a separate browser session; `stop` closes it. */
  visitor(options?: VisitorOptions): Promise<Visitor>;
  /** An admin who has just entered the second factor. */
  admin(): Promise<Visitor>;
  stop(): Promise<void>;
}

/** @param env changes to the service's configuration */
export async function startStage(env: Record<string, string> = {}): Promise<Stage> {
  const browser = await launchBrowser();
  const service = await startOwnService(env);
  const portal = await startPortal(service);
  return {
    service,
    portal,
    browser,
    visitor: (options = {}) => newVisitor(browser, portal.url, options),
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
  const executablePath = await findChromium(process.env, () => undefined);
  return await chromium.launch({ executablePath });
}
