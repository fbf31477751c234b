import test from 'ava';
import { PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { partnerInReview } from '../../portal/helpers/partner-in-review.ts';
import { Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

test('a go-live request is reviewed, sent back, made again and approved, and the partner is LIVE', async (t) => {
  const { partnerId, evidence } = await partnerInReview(service, 'Corner Shop');
  const path = `/partners/${partnerId}`;
  const shown = await ada.get(`${path}/go-live`);
  t.like(shown.body, { partnerId, state: 'IN_REVIEW', ready: true, reason: null });
  const named = shown.body.items.flatMap((item: { evidence: string[] }) => item.evidence);
  t.deepEqual(
    evidence.filter((id) => !named.includes(id)),
    [],
  );

  const reason = 'Which shop is this?';
  t.is((await ada.post(`${path}/go-live/return`, {})).status, 400);
  const returned = await ada.post(`${path}/go-live/return`, { reason });
  t.like(returned.body, { state: 'CHANGES_REQUESTED', reason });
  const early = await ada.post(`${path}/go-live/approval`);
  t.deepEqual([early.status, early.body.error.code], [409, 'CONFLICT']);
  t.is((await ada.post(`${path}/go-live/request`)).body.state, 'IN_REVIEW');
  const approved = await ada.post(`${path}/go-live/approval`);
  t.is(approved.status, 200);
  t.like(approved.body, { state: 'LIVE', ready: true });
  t.deepEqual(approved.body.items.at(-1).evidence, [approved.body.reviewerId]);

  const [integration] = (await ada.get(`${path}/integrations`)).body.items;
  const { integrationId } = integration;
  const fields = { integrationId, mode: 'LIVE', scopes: ['events:write'] };
  const { credential, secret } = (await ada.post(`${path}/credentials`, fields)).body;
  const shop = new PartnerBackend({
    baseUrl: service.baseUrl,
    partnerId,
    integrationId,
    mode: 'LIVE',
    scopes: [],
  });
  t.is((await shop.changed({ key: credential.apiKey, secret }).purchase()).status, 201);
});

test('an unknown partner has no checklist', async (t) => {
  t.is((await ada.get('/partners/prt_none/go-live')).status, 404);
  t.is((await ada.post('/partners/prt_none/go-live/request')).status, 404);
});
