import type { ExecutionContext } from 'ava';
import { axe, sidewaysScroll } from './checks.ts';
import { narrow, type Visitor, wide } from './visitor.ts';

/** Looks at the page that is open as everybody may have it before them. */
export async function look(t: ExecutionContext, { page }: Visitor, path: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [wide, narrow]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const looked = `${path}, ${colorScheme}, ${width} px`;
      t.is(await sidewaysScroll(page), null, looked);
      // What narrowness may hide, it hides in either colour.
      if ((width === narrow) === (colorScheme === 'dark')) t.deepEqual(await axe(page), [], looked);
    }
  }
}
