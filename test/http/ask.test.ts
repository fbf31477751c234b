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

/** A client to whom so many answers of the engine are lost, each with what it says itself then. */
function losing(client: Client, answers: number, error: Error): Client {
  let lost = 0;
  const executeUpdateWithStart = async (...asked: never[]) => {
    const answer = await (client.workflow.executeUpdateWithStart as (...asked: never[]) => unknown)(
      ...asked,
    );
    if (lost++ < answers) throw error;
    return answer;
  };
  return new Proxy(client, {
    get: (of, name) =>
      name === 'workflow' ? { executeUpdateWithStart } : Reflect.get(of, name).bind(of),
  });
}

/** A refund of a new purchase. @returns the answer, and how many refunds are recorded */
async function refundWith(temporal: Client) {
  const partner = await service.partner();
  const { partnerId } = partner;
  const purchase = aPurchase();
  await partner.purchase(purchase);
  const { externalOrderId } = purchase;
  const api = await startAnotherApi(service, { temporal });
  const { status, body } = await partner.changed(api).refund({ externalOrderId });
  await api.stop();
  const refunds = await service.models.orderEvents.countDocuments({ partnerId, type: 'REFUND' });
  return { status, body, refunds };
}

for (const [how, error] of [
  ['by a type, as of a poll', new WorkflowNotFoundError('update not found', '', undefined)],
  [
    'by a code, as of the two calls in one',
    Object.assign(new Error('update not found'), { code: 5, details: '', metadata: {} }),
  ],
] as const) {
  test(`a refund whose update the engine lost is asked for again, and recorded once: said ${how}`, async (t) => {
    const { status, body, refunds } = await refundWith(losing(service.temporal, 2, error));
    t.is(status, 201);
    t.is(body.refund.status, 'CANCELLED');
    t.is(refunds, 1);
  });

  test(`one that the engine loses each time is out of reach, and may be sent again: said ${how}`, async (t) => {
    const { status, body } = await refundWith(losing(service.temporal, 1_000, error));
    t.is(status, 503);
    t.is(body.error.code, 'UNAVAILABLE');
  });
}
