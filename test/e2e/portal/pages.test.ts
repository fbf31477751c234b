import test from 'ava';
import type { Audience } from '../../../portal/context.ts';
import { eventually } from '../../helpers/eventually.ts';
import { filledPath, type Owner } from '../../portal/helpers/fixtures.ts';
import { hostileOwner } from '../../portal/helpers/hostile.ts';
import { aUser, operatorBrowser, signedIn } from '../../portal/helpers/people.ts';
import { axe, faults, hasNextStep, sidewaysScroll } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor } from './helpers/visitor.ts';

let stage: Stage;
/** A partner with hostile text in all its data. */
let owner: Owner;
test.before(async (t) => {
  t.timeout(10 * 60_000);
  stage = await startStage();
  owner = await hostileOwner(stage.service, stage.portal);
});
test.after.always(() => stage?.stop());

async function visitorOf(audience: Audience): Promise<Visitor> {
  const { portal } = stage;
  if (audience === 'public') return await stage.visitor();
  const { cookies } =
    audience === 'operator'
      ? await operatorBrowser(portal)
      : await signedIn(
          portal,
          await aUser(portal, { partnerId: owner.partnerId, name: owner.mark }),
        );
  return await stage.visitor({ session: cookies.get('session') });
}

for (const audience of ['public', 'user', 'partner', 'operator'] as const) {
  test.serial(
    `every page for ${audience} is accessible on any screen, and runs no injected script`,
    async (t) => {
      t.timeout(10 * 60_000);
      const routes = stage.portal.table.filter(
        (route) => route.audience === audience && route.method === 'GET',
      );
      t.true(routes.length > 0);
      const visitor = await visitorOf(audience);
      for (const route of routes) {
        const path = await filledPath(stage.portal, route, owner);
        // Files: downloads, and an email preview, which is shown in a frame.
        if (/\.\w+$/.test(route.path) || !(await visitor.isPage(path))) continue;
        t.is(await visitor.open(path), 200, route.path);
        t.deepEqual(await faults(visitor.page), [], route.path);
        t.deepEqual(visitor.problems, [], route.path);
      }
      await visitor.close();
    },
  );
}

test.serial('the checks detect each kind of fault', async (t) => {
  const { page } = await stage.visitor({ width: narrow });
  await page.setContent('<main><img src="data:,"><p style="width: 400px">x</p></main>');
  t.regex((await axe(page)).join(), /image-alt/);
  t.regex((await sidewaysScroll(page)) ?? '', /^\d+ px: <p/);
  t.false(await hasNextStep(page));
  const visitor = await stage.visitor();
  await visitor.open('/sign-in');
  await visitor.page.evaluate(
    `document.body.insertAdjacentHTML('beforeend', '<img src="/x" onerror="alert(1)">')`,
  );
  await eventually(
    async () => visitor.problems.some((text) => /Content Security Policy/.test(text)),
    'the Content Security Policy blocks the handler',
  );
});
