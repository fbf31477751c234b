import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

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
