import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { laptop, narrow, phone, wide } from './visitor.ts';

/** Axe, without the rules that never find anything serious: they take a fifth of its time. */
const axeSource = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
  axe.configure({
    rules: axe._audit.rules
      .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
      .map(({ id }) => ({ id, enabled: false })),
  });`;

interface Violation {
  id: string;
  impact: string | null;
  nodes: { target: string[]; failureSummary?: string }[];
}

/** Axe's serious and critical violations, as `rule: element: summary`. */
export async function axe(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const violations: Violation[] = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`,
      ),
    );
}

/** The tables in columns that are cut at their right edge. */
export async function cutTables(page: Page): Promise<string[]> {
  return await page.evaluate(`[...document.querySelectorAll('.grid-2 .scroll')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((one) => one.scrollWidth - one.clientWidth + ' px: ' + one.innerHTML.slice(0, 120))`);
}

/** How far the page scrolls sideways, and the element that sticks out most; null if it does not. */
export async function sidewaysScroll(page: Page): Promise<string | null> {
  return await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return null;
    const rights = [...document.body.querySelectorAll('*')]
      .map((one) => [one.getBoundingClientRect().right, one])
      .filter(([right]) => right > clientWidth);
    const [right, widest] = rights.sort(([a], [b]) => b - a)[0] ?? [scrollWidth];
    return Math.round(right - clientWidth) + ' px: ' + (widest?.outerHTML.slice(0, 120) ?? '');
  })()`);
}

/**
 * The open page's faults, with its folded parts opened, light and dark, on narrow and wide screens:
 * accessibility, sideways scrolling, and dead ends. Leaves the page wide and light, and folded as it was.
 */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(unfold);
  const found = await faultsOfShown(page);
  await page.evaluate(fold);
  return found;
}

const unfold = `for (const one of document.querySelectorAll('details:not([open])')) {
  one.dataset.wasFolded = '';
  one.open = true;
}`;
const fold = `for (const one of document.querySelectorAll('[data-was-folded]')) {
  delete one.dataset.wasFolded;
  one.open = false;
}`;

async function faultsOfShown(page: Page): Promise<string[]> {
  const found = (await hasNextStep(page)) ? [] : ['a dead end: no link or button'];
  for (const width of [narrow, phone, laptop, wide]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const on = `${colorScheme}, ${width} px`;
      const scrolls = await sidewaysScroll(page);
      if (scrolls !== null) found.push(`${on}: scrolls sideways by ${scrolls}`);
      for (const cut of await cutTables(page)) found.push(`${on}: a table is cut by ${cut}`);
      // Axe is slow, and two combinations suffice: dark and narrow, light and wide.
      if (width === phone || width === laptop || (width === narrow) !== (colorScheme === 'dark'))
        continue;
      found.push(...(await axe(page)).map((violation) => `${on}: ${violation}`));
    }
  }
  return found;
}

/** Whether the page is not a dead end: it has a link or a button, or a menu. */
export async function hasNextStep(page: Page): Promise<boolean> {
  return (await page.locator('main a[href], main button, nav a[href]').count()) > 0;
}
