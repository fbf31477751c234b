import { randomUUID } from 'node:crypto';
import test from 'ava';
import { connectTemporal } from '../../temporal/connection.ts';
import { ensureNamespace, retentionDays } from '../../temporal/namespace.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('a missing namespace is created, once, and keeps its retention', async (t) => {
  const { temporal } = service.config;
  const namespace = `made-${randomUUID()}`;
  const wanted = { address: temporal.address, namespace };
  t.true(await ensureNamespace(wanted));
  const client = connectTemporal({ ...temporal, namespace });
  t.teardown(() => client.connection.close());
  // Some parts of the server learn of a new namespace later than others.
  const days = async () => {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds) / 86_400;
  };
  t.is(
    await eventually(() => days().catch(() => undefined), 'the namespace is known'),
    retentionDays,
  );
  t.false(await ensureNamespace(wanted));
  t.is(await days(), retentionDays);
});
