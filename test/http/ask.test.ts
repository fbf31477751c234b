import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import test from 'ava';
import { startAnotherApi } from '../helpers/another-api.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

/** A client to whom so many answers of the engine are lost, as it says itself: the update is not known. */
function losing(client: Client, answers: number): Client {
  let lost = 0;
  const executeUpdateWithStart = async (...asked: never[]) => {
    const answer = await (client.workflow.executeUpdateWithStart as (...asked: never[]) => unknown)(
      ...asked,
    );
    if (lost++ < answers) throw new WorkflowNotFoundError('update not found', '', undefined);
    return answer;
  };
  return new Proxy(client, {
    get: (of, name) =>
      name === 'workflow' ? { executeUpdateWithStart } : Reflect.get(of, name).bind(of),
  });
}

test('a refund whose update the engine lost is asked for again, and recorded once', async (t) => {
  const partner = await service.partner();
  const purchase = aPurchase();
  await partner.purchase(purchase);
  const { externalOrderId } = purchase;
  const api = await startAnotherApi(service, { temporal: losing(service.temporal, 2) });
  t.teardown(api.stop);
  const { status, body } = await partner.changed(api).refund({ externalOrderId });
  t.is(status, 201);
  t.is(body.refund.status, 'CANCELLED');
  const refunds = { partnerId: partner.partnerId, type: 'REFUND' } as const;
  t.is(await service.models.orderEvents.countDocuments(refunds), 1);
});

test('one that the engine loses each time is out of reach, and may be sent again', async (t) => {
  const partner = await service.partner();
  const purchase = aPurchase();
  await partner.purchase(purchase);
  const { externalOrderId } = purchase;
  const api = await startAnotherApi(service, { temporal: losing(service.temporal, 1_000) });
  t.teardown(api.stop);
  const { status, body } = await partner.changed(api).refund({ externalOrderId });
  t.is(status, 503);
  t.is(body.error.code, 'UNAVAILABLE');
});
