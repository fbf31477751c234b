import test from 'ava';
import type { OrderColumnNames, OrderRow } from '../../../domain/orders.ts';
import { maxFileRows, parseOrderFile } from '../../../models/jobs/parse-order-file.ts';

async function* inChunks(bytes: Buffer, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function parsed(
  file: string | Buffer,
  chunkBytes = 7,
  names?: OrderColumnNames,
): Promise<OrderRow[]> {
  const rows: OrderRow[] = [];
  const bytes = inChunks(Buffer.from(file), chunkBytes);
  for await (const row of parseOrderFile(bytes, names)) rows.push(row);
  return rows;
}

const readable: [title: string, file: string | Buffer, rows: Partial<OrderRow>[]][] = [
  [
    'commas',
    'externalOrderId,subtotal\nA1,49.90\nA2,1\n',
    [
      { row: 2, externalOrderId: 'A1', subtotalCents: 4_990 },
      { row: 3, externalOrderId: 'A2' },
    ],
  ],
  [
    'semicolons, Windows line ends and a comma for the point',
    'externalOrderId;subtotal;customer\r\n"A;1";49,90;Müller\r\n',
    [{ externalOrderId: 'A;1', subtotalCents: 4_990 }],
  ],
  ['tabs', 'externalOrderId\tsubtotalCents\nA1\t4990', [{ subtotalCents: 4_990 }]],
  [
    'a byte order mark',
    '\ufeffexternalOrderId,subtotal\nbücher-1,1\n',
    [{ externalOrderId: 'bücher-1' }],
  ],
  [
    'empty rows and rows of separators, as left by spreadsheets',
    'externalOrderId,subtotal\n\nA1,1\n,\n\nA2,2\n,\n',
    [
      { row: 3, externalOrderId: 'A1' },
      { row: 6, externalOrderId: 'A2' },
    ],
  ],
  [
    'line breaks, quotes and commas within quotes',
    'externalOrderId,subtotal,note\n"A,1",1,"two\nlines, ""quoted"""\nA2,2,\n',
    [
      { row: 2, externalOrderId: 'A,1' },
      { row: 3, externalOrderId: 'A2' },
    ],
  ],
  [
    'formulas, read as plain order ids',
    'externalOrderId,subtotal\n=cmd|calc,1\n@A1,2\n',
    [{ externalOrderId: '=cmd|calc' }, { externalOrderId: '@A1' }],
  ],
];

for (const [title, file, rows] of readable) {
  test(`a file with ${title} is read`, async (t) => {
    const found = await parsed(file);
    t.is(found.length, rows.length);
    for (const [index, row] of rows.entries()) t.like(found[index], row);
  });
}

test('a shop’s export is read under its own column names, with a row for each item', async (t) => {
  const file = [
    'Name,Email,Financial Status,Currency,Subtotal,Total,Created at,Lineitem name',
    '#1001,ann@shop.example,paid,EUR,42.00,49.90,2026-01-31 09:30:00 +0100,Mug',
    '#1001,ann@shop.example,,,,,,Filter',
    '#1002,bob@shop.example,refunded,EUR,7.00,8.50,2026-01-31 10:12:45 +0100,Mug',
    '',
  ].join('\n');
  const rows = await parsed(file, 7, {
    externalOrderId: 'Name',
    subtotal: 'Total',
    occurredAt: 'created at',
    refunded: 'Financial Status',
  });
  const [first, second] = rows;
  t.is(rows.length, 2);
  t.like(first, {
    row: 2,
    externalOrderId: '#1001',
    subtotalCents: 4_990,
    currency: 'EUR',
    occurredAt: '2026-01-31T08:30:00.000Z',
    refunded: false,
  });
  t.like(second, { row: 4, externalOrderId: '#1002', refunded: true });
});

const head = 'externalOrderId,subtotal\n';
const refused: [title: string, file: string | Buffer, message: RegExp][] = [
  ['that is empty', '', /^Row 1: the file is empty\.$/],
  [
    'without the columns',
    'order;price\nA1;1\n',
    /^Row 1: there is no column externalOrderId\. The columns are "order, price"/,
  ],
  [
    'in UTF-16',
    Buffer.from(`\ufeff${head}`, 'utf16le'),
    /^Row 1: the text is not UTF-8\. Save .* "CSV UTF-8"/,
  ],
  ['in UTF-16 without a mark', Buffer.from(head, 'utf16le'), /^Row 1: the text is not UTF-8/],
  ['in Latin 1', Buffer.from(`${head}A1,1\nbücher,2\n`, 'latin1'), /^Row 3: the text is not UTF-8/],
  [
    'in two encodings',
    Buffer.concat([Buffer.from(`${head}ü,1\n`), Buffer.from('ü,1\n', 'latin1')]),
    /^Row 3: the text is not UTF-8/,
  ],
  [
    'whose quote never closes',
    `${head}A1,1\n"A2,2\nA3,3\n`,
    /^Row 3: a quotation mark is never closed\.$/,
  ],
  [
    'with text behind a quote',
    `${head}A1,1\n"A2"x,2\n`,
    /^Row 3: there is text after a closing quotation mark/,
  ],
  [
    'with a quote within a text',
    `${head}A1,1\nA"2,2\n`,
    /^Row 3: there is a quotation mark in text/,
  ],
  ['with a column too many', `${head}A1,1\n\nA2,2,3\n`, /^Row 4: its number of columns differs/],
  [
    'with a row without end',
    `${head}A1,1\n${'x'.repeat(100_000)},2\n`,
    /^Row 3: it is longer than 64 KiB\.$/,
  ],
  ['with a header without end', 'x'.repeat(100_000), /^Row 1: it is longer than 64 KiB\.$/],
  ['with an amount that is none', `${head}A1,1\nA2,many\n`, /^Row 3: subtotal must be an amount/],
];

for (const [title, file, message] of refused) {
  test(`a file ${title} is refused, with the row`, async (t) => {
    for (const chunkBytes of [file.length < 1_000 ? 7 : 1_000, 1_000_000]) {
      const expected = { code: 'VALIDATION_FAILED', message };
      await t.throwsAsync(parsed(file, chunkBytes), expected);
    }
  });
}

test('an oversized file is refused at its first excess byte', async (t) => {
  let sent = 0;
  async function* endless() {
    yield Buffer.from(head);
    for (;;) {
      sent += 1;
      yield Buffer.from(`${'A'.repeat(160)},1\n`.repeat(1_000));
    }
  }
  const bytes = async () => {
    for await (const _ of parseOrderFile(endless()));
  };
  await t.throwsAsync(bytes(), { code: 'PAYLOAD_TOO_LARGE', message: /larger than 20 MiB/ });
  t.true(sent <= 140, `${sent} chunks of 164 KB were read`);
});

test('a file with more orders than the limit is refused', async (t) => {
  const tooMany = Buffer.from(`${head}${'A1,1\n'.repeat(maxFileRows + 1)}`);
  let orders = 0;
  const read = async () => {
    for await (const _ of parseOrderFile(inChunks(tooMany, 65_536))) orders += 1;
  };
  await t.throwsAsync(read(), {
    code: 'PAYLOAD_TOO_LARGE',
    message: /more than 200000 orders/,
  });
  t.is(orders, maxFileRows);
});

test('an upload that breaks off aborts the parsing', async (t) => {
  async function* broken() {
    yield Buffer.from(`${head}A1,1\n`);
    throw new Error('the connection is gone');
  }
  const bytes = async () => {
    for await (const _ of parseOrderFile(broken()));
  };
  await t.throwsAsync(bytes(), { message: 'the connection is gone' });
});
