import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import { logCsv } from '../../../models/views/log.ts';
import { scopeOf } from '../../../models/views/partner-scope.ts';
import { newId } from '../../../platform/ids.ts';
import { openDatabase } from '../../helpers/processes.ts';
import { anIntegrationEvent } from '../../helpers/signed-requests.ts';

test('the log is exported to CSV as filtered, newest first, up to its limit, without formulas', async (t) => {
  const database = await openDatabase();
  t.teardown(database.close);
  const { models } = database;
  const startMs = Date.parse('2026-03-01T00:00:00Z');
  const events = Array.from({ length: 2_500 }, (_, n) =>
    anIntegrationEvent({
      _id: newId('integrationEvent', startMs + n),
      receivedAt: new Date(startMs + n),
      requestId: newId('request'),
      mode: n % 2 === 0 ? 'LIVE' : 'TEST',
      externalOrderId: n === 2_498 ? '=cmd|calc' : `order-${n}`,
    }),
  );
  await models.integrationEvents.collection.insertMany(events);
  const read = async (maxRows?: number) => {
    const stream = logCsv(
      { models },
      { partnerId: scopeOf({ _id: 'prt_1' }), mode: 'LIVE' },
      maxRows,
    );
    return parse<Record<string, string>>(await buffer(stream), { columns: true, bom: true });
  };
  const rows = await read();
  t.is(rows.length, 1_250);
  t.like(rows[0], { externalOrderId: "'=cmd|calc", mode: 'LIVE', code: 'ACCEPTED', count: '1' });
  t.deepEqual(
    rows.slice(1).map(({ externalOrderId }) => externalOrderId),
    Array.from({ length: 1_249 }, (_, n) => `order-${2_496 - 2 * n}`),
  );
  t.is((await read(1_100)).length, 1_100);
  t.is((await read(1)).length, 1);
});
