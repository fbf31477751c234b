import test from 'ava';
import { parse } from 'yaml';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;

const open = (path: string, init?: RequestInit) => fetch(service.baseUrl + path, init);

test('the partners’ reference is public, with partners’ operations only', async (t) => {
  const answer = await open('/openapi.yaml');
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'application/yaml');
  const text = await answer.text();
  const { paths, servers } = parse(text);
  t.true(Object.keys(paths).includes('/api/v1/partner/purchases'));
  t.false(Object.keys(paths).some((path) => /^\/(admin|claim|healthz|readyz|statusz)/.test(path)));
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

test.before(async () => {
  service = await startService();
});

test.after.always(async () => {
  await service?.stop();
  await service.stop();
});

test('a method that a known path does not have is 405 and lists the allowed ones, in both APIs', async (t) => {
  const authorization = `Bearer ${service.adminToken}`;
  const cases: [url: string, allow: string][] = [
    [`${service.adminUrl}/partners/prt_1`, 'HEAD, GET, PATCH'],
    [`${service.adminUrl}/operators/me`, 'HEAD, GET'],
    [`${service.baseUrl}/api/v1/partner/rewards/PNR_1`, 'HEAD, GET'],
    [`${service.baseUrl}/api/v1/partner/purchases`, 'POST'],
  ];
  for (const [url, allow] of cases) {
    const response = await fetch(url, { method: 'OPTIONS', headers: { authorization } });
    t.is(response.status, 405, url);
    t.is(response.headers.get('allow'), allow, url);
  }
  const unknown = await fetch(`${service.adminUrl}/none`, { headers: { authorization } });
  t.is(unknown.status, 404);
});

test('names are one line of printable characters, and reasons contain no control characters', async (t) => {
  const outcome = async (path: string, body: object) => {
    const response = await fetch(service.adminUrl + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.adminToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
  };
  for (const name of ['a\nb', 'a\u0000b', 'a\u0085b', 'a\u2028b']) {
    t.deepEqual(await outcome('/partners', { name }), [400, 'VALIDATION_FAILED'], name);
  }
  const { partnerId } = await service.partner();
  const back = `/partners/${partnerId}/go-live/return`;
  t.deepEqual(await outcome(back, { reason: 'a\u0000b' }), [400, 'VALIDATION_FAILED']);
  t.not((await outcome(back, { reason: 'first\nsecond' }))[1], 'VALIDATION_FAILED');
});
