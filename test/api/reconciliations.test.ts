import { once } from 'node:events';
import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { ApiContext } from '../../api/context.ts';
import { fileBody, limitLists } from '../../api/middleware/file-body.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { responseTimeout } from '../../http/requests.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend, type SendOptions } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startRaw } from '../http/helpers/raw-server.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const path = '/api/v1/partner/reconciliations';

/** From the first minute of 2020 to two hours ago, to the second. */
const since = Math.floor((Date.now() - Date.UTC(2020, 0, 1)) / 1000 - 7_200) * 1000;

const reconcile = (as: PartnerBackend, list: unknown, type = 'text/csv', more: SendOptions = {}) =>
  as.send(list, { path, headers: { 'content-type': type, 'idempotency-key': null }, ...more });

const read = (as: PartnerBackend, id: string) =>
  as.send('', { method: 'GET', path: `${path}/${id}` });

/** Waits until a list is compared. */
async function finished(as: PartnerBackend, id: string) {
  return await eventually(async () => {
    const { body } = await read(as, id);
    return body.reconciliation.status === 'DONE' && body.reconciliation;
  }, 'the list is compared');
}

test('a list of orders and refunds is compared, and each difference says what to send', async (t) => {
  const partner = await service.partner();
  const [same, dear] = [aPurchase(), aPurchase()];
  const at = (minute: number) => new Date(Date.UTC(2020, 0, 1, 0, minute) + since).toISOString();
  const time = at(0);
  for (const one of [same, dear]) await partner.purchase({ ...one, occurredAt: time });
  const unlisted = aPurchase({ occurredAt: at(30) });
  const { body: reported } = await partner.purchase(unlisted);
  const lines = [
    { ...same, occurredAt: time },
    { externalOrderId: dear.externalOrderId, subtotal: 1, occurredAt: time },
    { externalOrderId: 'never', order: { subtotalCents: 5 }, occurredAt: at(60) },
    {
      externalOrderId: same.externalOrderId,
      externalRefundId: 'R1',
      amountCents: 40,
      occurredAt: time,
    },
  ];
  const list = lines.map((line) => JSON.stringify(line)).join('\n');
  const sent = await reconcile(partner, list, 'application/x-ndjson; charset=utf-8');
  t.is(sent.status, 202, sent.text);
  t.like(sent.body, { success: true, mode: 'TEST' });
  const found = await finished(partner, sent.body.reconciliation.id);
  t.deepEqual(found.counts, {
    rows: 4,
    matched: 1,
    missing: 2,
    notInFile: 1,
    duplicate: 0,
    mismatched: 1,
    unknownStatus: 0,
  });
  t.deepEqual(
    found.differences.map(({ kind, row, externalOrderId, eventId, repair }: never) => [
      kind,
      row,
      externalOrderId,
      eventId,
      repair,
    ]),
    [
      ['MISMATCHED', 2, dear.externalOrderId, found.differences[0].eventId, null],
      [
        'MISSING',
        3,
        'never',
        null,
        {
          method: 'POST',
          path: '/api/v1/partner/purchases',
          body: {
            externalOrderId: 'never',
            order: { subtotalCents: 5 },
            occurredAt: at(60),
          },
          add: ['customer'],
        },
      ],
      [
        'MISSING',
        4,
        same.externalOrderId,
        null,
        {
          method: 'POST',
          path: '/api/v1/partner/refunds',
          body: {
            externalOrderId: same.externalOrderId,
            externalRefundId: 'R1',
            amountCents: 40,
            occurredAt: time,
          },
          add: [],
        },
      ],
      ['NOT_IN_FILE', null, unlisted.externalOrderId, reported.eventId, null],
    ],
  );
  t.is(found.pages, 1);
  t.deepEqual([found.checkedFrom, found.checkedTo], [time, at(60).replace('.000Z', '.999Z')]);
});

test('only the integration that sent a list sees it, in its mode', async (t) => {
  const partner = await service.partner();
  const { body } = await reconcile(partner, 'externalOrderId,subtotal\nA1,1\n');
  const { id } = body.reconciliation;
  const { models, sealer } = service;
  const changes = [{ integrationId: newId('integration') }, { mode: 'LIVE' as const }];
  const others = [
    await service.partner(),
    ...(await Promise.all(
      changes.map((one) => partner.withAnotherCredential(models, sealer, one)),
    )),
  ];
  for (const other of others) t.is((await read(other, id)).body.error.code, 'NOT_FOUND');
  t.is((await read(partner, 'job_none')).status, 404);
  await finished(partner, id);
});

test('a list is refused with all its wrong rows, and nothing is stored', async (t) => {
  const partner = await service.partner();
  const { partnerId } = partner;
  const wrong = await reconcile(partner, 'externalOrderId,subtotal\nA1,1\nA2,much\n,1\n');
  t.is(wrong.body.error.code, 'VALIDATION_FAILED');
  t.regex(wrong.body.error.message, /^Row 3: subtotal .* Row 4: externalOrderId /);
  const refusals = [
    [await reconcile(partner, '{}', 'application/json'), 'UNSUPPORTED_MEDIA_TYPE'],
    [await reconcile(partner, 'a', 'text/csv; charset=latin1'), 'UNSUPPORTED_MEDIA_TYPE'],
    [await reconcile(partner, 'x'.repeat(5 * 1024 * 1024 + 1)), 'PAYLOAD_TOO_LARGE'],
    [await reconcile(partner, 'a', 'text/csv', { query: '?day=1' }), 'UNEXPECTED_QUERY'],
    [await reconcile(partner, 'a', 'text/csv', { sentBody: 'b' }), 'INVALID_SIGNATURE'],
  ] as const;
  for (const [{ body }, code] of refusals) t.is(body.error.code, code);
  const writer = await partner.withAnotherCredential(service.models, service.sealer, {
    scopes: ['events:write'],
  });
  t.is((await reconcile(writer, 'a')).body.error.code, 'INSUFFICIENT_SCOPE');
  t.is(await service.models.jobs.countDocuments({ partnerId }), 0);
  t.is(await service.models.jobRows.countDocuments({ partnerId }), 0);
});

test('a list that is sent again while it is compared is the same one, and another one waits', async (t) => {
  const partner = await service.partner();
  const { partnerId } = partner;
  const list = 'externalOrderId,subtotal\nA1,1\n';
  const first = await reconcile(partner, list);
  const { id } = first.body.reconciliation;
  await finished(partner, id);
  // As if it were not finished.
  await service.models.jobs.updateOne(
    { partnerId, _id: id },
    { $set: { isOpen: true, status: 'QUEUED', heartbeatAt: new Date(Date.now() + 60_000) } },
  );
  const again = await reconcile(partner, list);
  t.is(again.status, 202);
  t.is(again.body.reconciliation.id, id);
  const another = await reconcile(partner, `${list}A2,1\n`);
  t.is(another.body.error.code, 'RATE_LIMITED');
  t.is(another.headers.get('retry-after'), '5');
  await service.models.jobs.updateOne({ partnerId, _id: id }, { $unset: { isOpen: '' } });
  const next = await reconcile(partner, list);
  t.not(next.body.reconciliation.id, id);
  await finished(partner, next.body.reconciliation.id);
});

test('a list without orders says that nothing happened, on the days that from and to name', async (t) => {
  const partner = await service.partner();
  const occurredAt = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const order = aPurchase({ occurredAt });
  await partner.purchase(order);
  const day = occurredAt.slice(0, 10);
  const nothing = 'externalOrderId,subtotal,occurredAt\n';
  const onDay = { query: `?from=${day}&to=${day}` };
  const sent = await reconcile(partner, nothing, 'text/csv', onDay);
  t.is(sent.status, 202, sent.text);
  const found = await finished(partner, sent.body.reconciliation.id);
  t.like(found, {
    checkedFrom: `${day}T00:00:00.000Z`,
    checkedTo: `${day}T23:59:59.999Z`,
    counts: { rows: 0, matched: 0, notInFile: 1 },
  });
  t.is(found.differences[0].externalOrderId, order.externalOrderId);
  for (const [list, type, query] of [
    [nothing, 'text/csv', ''],
    [
      nothing,
      'text/csv',
      `?from=${encodeURIComponent('2020-01-01T00:00:00+01:00')}&to=2020-01-02T00:00:00Z`,
    ],
    ['\n', 'application/x-ndjson', '?from=2020-01-01&to=2020-01-01'],
  ] as const) {
    const { status, body, text } = await reconcile(partner, list, type, { query });
    t.is(status, 202, text);
    t.like(await finished(partner, body.reconciliation.id), { counts: { rows: 0, notInFile: 0 } });
  }
  for (const query of ['?from=2026-01-01', '?from=2026-01-02&to=2026-01-01', '?from=x&to=y']) {
    const { body } = await reconcile(partner, nothing, 'text/csv', { query });
    t.is(body.error.code, 'VALIDATION_FAILED', query);
  }
  const { body } = await reconcile(partner, nothing, 'text/csv', { query: '?day=1' });
  t.is(body.error.code, 'UNEXPECTED_QUERY');
});

test('lists of strangers that stall keep nobody from sending one', async (t) => {
  const { port } = new URL(service.baseUrl);
  const head = [`POST ${path} HTTP/1.1`, 'Host: here', 'Content-Type: text/csv'];
  const sockets = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write([...head, 'Content-Length: 5000000', '', 'externalOrderId'].join('\r\n'));
      return socket;
    }),
  );
  const partner = await service.partner();
  const { status, body, text } = await reconcile(partner, 'externalOrderId,subtotal\nA1,1\n');
  t.is(status, 202, text);
  for (const socket of sockets) socket.destroy();
  await finished(partner, body.reconciliation.id);
});

/** Sends the beginnings of lists, one after the other, to a server with so many bytes of memory for them. */
async function readLists(t: ExecutionContext, maxBytes: number) {
  const read = fileBody(maxBytes);
  let begun = 0;
  const speak = await startRaw(t, {}, async (ctx) => {
    begun += 1;
    const context = ctx as unknown as ApiContext;
    await responseTimeout(60_000)(context, () => read(context, async () => undefined)).then(
      () => {
        ctx.body = 'read';
      },
      ({ status, code }: ServiceError) => {
        ctx.status = status;
        ctx.body = code;
      },
    );
  });
  return async (bytes: string) => {
    const before = begun;
    const socket = await speak(bytes);
    await eventually(async () => begun > before, 'the list begins to arrive');
    return socket;
  };
}

const listOf = (length: number, sent: string) =>
  `POST / HTTP/1.1\r\nHost: here\r\nContent-Type: text/csv\r\nContent-Length: ${length}\r\n\r\n${sent}`;

test('if too much arrives at once, the list that has been arriving longest gives way', async (t) => {
  const speak = await readLists(t, 20);
  const silent = await speak(listOf(20, ''));
  const oldest = await speak(listOf(20, 'x'.repeat(15)));
  const answered = once(oldest, 'data');
  const later = await speak(listOf(20, 'x'.repeat(10)));
  t.regex(String((await answered)[0]), /^HTTP\/1.1 408.*REQUEST_TIMEOUT$/s);
  later.write('x'.repeat(10));
  t.regex(String((await once(later, 'data'))[0]), /^HTTP\/1.1 200.*read$/s);
  silent.write('x'.repeat(20));
  t.regex(String((await once(silent, 'data'))[0]), /^HTTP\/1.1 200.*read$/s);
});

test('a partner sends a few lists at a time, and each gives its place back, also after a failure', async (t) => {
  const limit = limitLists();
  const as = (partnerId: string) => ({ state: { principal: { partnerId } } }) as ApiContext;
  const { promise, reject } = Promise.withResolvers<never>();
  const running = Array.from({ length: 4 }, () => limit(as('one'), () => promise));
  await t.throwsAsync(async () => limit(as('one'), async () => undefined), {
    code: 'RATE_LIMITED',
  });
  await t.notThrowsAsync(async () => limit(as('another'), async () => undefined));
  reject(new Error('a fault'));
  await Promise.allSettled(running);
  await t.notThrowsAsync(async () => limit(as('one'), async () => undefined));
});

test('an order is read by its own id, percent-encoded and signed as sent', async (t) => {
  const partner = await service.partner();
  const externalOrderId = 'A/1 ü?#%2F';
  const { body } = await partner.purchase(aPurchase({ externalOrderId }));
  const order = (as: PartnerBackend, segment: string) =>
    as.send('', { method: 'GET', path: `/api/v1/partner/orders/${segment}` });
  const early = await order(partner, encodeURIComponent(externalOrderId));
  t.like(early.body, { success: true, mode: 'TEST', externalOrderId, refunds: [] });
  t.is(early.body.reward.id, body.reward.id);
  await partner.refund({ externalOrderId, externalRefundId: 'R1' });
  const after = await order(partner, encodeURIComponent(externalOrderId).replace('%2F', '%2f'));
  t.like(after.body, { reward: { status: 'CANCELLED' } });
  t.like(after.body.refunds, [{ externalRefundId: 'R1', status: 'CANCELLED' }]);
  t.deepEqual(after.body.refunds, after.body.reward.refunds);
  for (const unknown of ['none', 'A', '%E0%A4', '%00']) {
    t.is((await order(partner, unknown)).body.error.code, 'NOT_FOUND', unknown);
  }
  const { models, sealer } = service;
  const elsewhere = await partner.withAnotherCredential(models, sealer, {
    integrationId: newId('integration'),
  });
  t.is((await order(elsewhere, encodeURIComponent(externalOrderId))).status, 404);
});
