import test from 'ava';
import { parse } from 'yaml';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

const open = (path: string, init?: RequestInit) => fetch(service.baseUrl + path, init);

test('the partners’ reference is public, with partners’ operations only', async (t) => {
  const answer = await open('/openapi.yaml');
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'application/yaml');
  const text = await answer.text();
  const { paths, servers } = parse(text);
  t.true(Object.keys(paths).includes('/api/v1/partner/purchases'));
  t.true(Object.keys(paths).every((path) => path.startsWith('/api/v1/partner/')));
  t.deepEqual(servers, [{ url: '/' }]);
  t.false(text.includes('/admin/v1'));
});

test('the reference is also a page without scripts, which loads everything from the API itself', async (t) => {
  const page = await open('/docs');
  const policy = page.headers.get('content-security-policy') ?? '';
  t.regex(policy, /^default-src 'none'; style-src 'self'; /);
  t.notRegex(policy, /script-src|unsafe/);
  const html = await page.text();
  t.notRegex(html, /<script|<style| style=/);
  t.true(html.includes('<code class="sent">POST /api/v1/partner/purchases</code>'));
  const loaded = await open('/docs/reference.css');
  t.true(html.includes('href="docs/reference.css"'));
  t.is(loaded.status, 200);
  t.regex(loaded.headers.get('content-type') ?? '', /^text\/css/);
});

test('an unchanged reference is not sent again, and other methods are refused', async (t) => {
  const etag = (await open('/openapi.yaml')).headers.get('etag') ?? '';
  // Without `cache-control`, fetch requests the whole reference again.
  const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' };
  const again = await open('/openapi.yaml', { headers });
  t.is(again.status, 304);
  t.is((await open('/docs', { method: 'POST' })).status, 405);
});
