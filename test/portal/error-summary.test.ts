import test from 'ava';
import { errorSummary } from '../../portal/components/error-summary.ts';
import { type Service, startService } from '../helpers/service.ts';
import { csrfIn, type Shown, textOf } from './helpers/browser.ts';
import { filledPath, type Owner, plausible, routeName } from './helpers/fixtures.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
let owner: Owner;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
  const { partnerId } = await service.partner({ partner: { name: 'Summary Ltd' } });
  owner = { partnerId, mark: 'Summary' };
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** What a page that shows a form again says at its top, and which fields it marks. */
function saidBy({ html }: Shown) {
  const [, top = ''] = /<main id="content" tabindex="-1">\s*(.*)/s.exec(html) ?? [];
  const [, head = '', inside = ''] = /^<div class="notice ([^>]*)>(.*?)<\/div>/s.exec(top) ?? [];
  const marked = [...html.matchAll(/<(?:input|select|textarea)\b[^>]*aria-invalid="true"[^>]*>/g)];
  return {
    isFocused: / tabindex="-1" autofocus$/.test(head) && head.includes('role="alert"'),
    title: /<title>([^<]*)/.exec(html)?.[1] ?? '',
    links: [...inside.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id),
    lines: inside.split('<li>').length - 1,
    marked: marked.flatMap(([tag]) => /\sid="([^"]+)"/.exec(tag)?.[1] ?? []),
  };
}

test('every form that is refused has a summary at the top, in focus, that leads to its marked fields', async (t) => {
  const visitors = {
    partner: await partnerBrowser(portal, owner.partnerId),
    operator: await operatorBrowser(portal),
  };
  let refused = 0;
  for (const route of portal.table) {
    const { method, audience, fields, takesFile } = route;
    if (method !== 'POST' || fields.length === 0 || audience === 'public') continue;
    const browser = visitors[audience === 'operator' ? 'operator' : 'partner'];
    const names = fields.filter((name) => !['to', 'csrf'].includes(name));
    const plain = Object.fromEntries(names.map((name) => [name, plausible[name] ?? 'x']));
    for (const sent of [
      {},
      { ...plain, ...Object.fromEntries(names.map((name) => [name, '¡'])) },
    ]) {
      const path = await filledPath(portal, route, owner);
      const csrf = csrfIn((await browser.open('/account')).html);
      const shown = await browser.send({ takesFile }, path, { ...sent, csrf });
      const isPage = shown.headers.get('content-type')?.startsWith('text/html');
      if (shown.status !== 422 || !isPage || shown.html.includes('error-page')) continue;
      refused += 1;
      const { isFocused, title, links, lines, marked } = saidBy(shown);
      const asked = `${routeName(route)} ${JSON.stringify(sent)}`;
      t.true(isFocused, asked);
      t.regex(title, /^Error: /, asked);
      t.true(lines > 0 && links.length <= lines, asked);
      t.deepEqual(links, marked, asked);
      for (const id of links) t.is(shown.html.split(` id="${id}"`).length, 2, `${asked}: ${id}`);
    }
  }
  t.true(refused >= 40, `${refused}`);
});

test('a line names its field, and one without a field on the page is text', (t) => {
  const page =
    '<label for="a-1">You &amp; me</label><input id="a-1" name="a" type="text" aria-invalid="true">';
  const made = `${errorSummary({ '': 'Not now.', a: 'Enter <b>.', b: 'Too long.' }, page)}`;
  t.is(textOf(made), ' There are problems Not now. Too long. You & me: Enter <b>. ');
  t.deepEqual(
    [...made.matchAll(/href="([^"]+)"/g)].map(([, to]) => to),
    ['#a-1'],
  );
  t.is(`${errorSummary({}, page)}`, '');
});
