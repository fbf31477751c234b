import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createMailer } from '../../messaging/mailer.ts';
import { type Mail, type Message, UnreachableError } from '../../messaging/message.ts';
import { removeEnded } from '../../messaging/outbox.ts';
import { withShortTimeout } from '../../messaging/send-message.ts';

const mail: Mail = {
  id: 'PNR_1',
  to: 'jane@private.example',
  subject: 'Points',
  text: 'Yours.',
  html: '<p>Yours, too.</p>',
};

/** Starts a mail server that accepts everything, and records what it receives. */
async function smtpServer(t: ExecutionContext) {
  let received = '';
  const server = createServer((socket) => {
    socket.write('220 here\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      received += chunk;
      if (isData && String(chunk).endsWith('\r\n.\r\n')) isData = false;
      else if (isData) return;
      if (/^DATA/im.test(String(chunk))) isData = true;
      socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
  };
}

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'outbox-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

test('with a mail server, an email is sent there, unless it stays in the outbox', async (t) => {
  const { url, received } = await smtpServer(t);
  const outboxDir = await folder(t);
  const send = createMailer({ smtpUrl: url, from: 'a@b.example', outboxDir });
  await send(mail);
  t.true(received().includes(mail.to));
  t.deepEqual(await readdir(outboxDir), []);
  t.notRegex(received(), /^Reply-To:/m);
  await send({ ...mail, replyTo: 'help@shop.example' });
  t.regex(received(), /^Reply-To: help@shop\.example\r$/m);
  await send({ ...mail, id: 'PNR_2', to: 'stranger@private.example', staysInOutbox: true });
  t.false(received().includes('stranger'));
  t.deepEqual(await readdir(outboxDir), ['PNR_2.eml']);
});

test('without a mail server, every email is a readable file, and a repeat overwrites it', async (t) => {
  const outboxDir = await folder(t);
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', outboxDir });
  for (let again = 0; again < 2; again++) await send(mail);
  t.deepEqual(await readdir(outboxDir), ['PNR_1.eml']);
  const text = await readFile(join(outboxDir, 'PNR_1.eml'), 'utf8');
  for (const part of [mail.to, mail.subject, mail.text, mail.html]) t.true(text.includes(part));
  t.true(text.indexOf(mail.text) < text.indexOf(mail.html), 'the preferred alternative comes last');
  t.regex(text, /Content-Type: multipart\/alternative/);
});

test('a saved copy with a link is deleted once the link has ended', async (t) => {
  const outboxDir = await folder(t);
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', outboxDir });
  const until = (seconds: number) => ({ linkEndsAt: new Date(Date.now() + seconds * 1_000) });
  await send(mail);
  await send({ ...mail, id: 'sign-in-1', ...until(-60) });
  await send({ ...mail, id: 'sign-in-2', ...until(3_600) });
  const left = (await readdir(outboxDir)).toSorted();
  t.deepEqual(
    left.map((name) => name.split('.')[0]),
    ['PNR_1', 'sign-in-2'],
  );
  t.is(await removeEnded(outboxDir, Date.now() + 3_700_000), 1);
  t.deepEqual(await readdir(outboxDir), ['PNR_1.eml']);
});

test('an email that something waits for skips a mail server that just failed', async (t) => {
  let attempts = 0;
  const send = withShortTimeout(async () => {
    attempts += 1;
    throw new Error('no response');
  });
  for (let nth = 0; nth < 20; nth++) await t.throwsAsync(send(mail));
  t.true(attempts >= 1 && attempts <= 5, `${attempts} attempts`);
});

test('text messages continue while the mail server fails, and an unreachable number does not count as a failure', async (t) => {
  const attempted: Message[] = [];
  const send = withShortTimeout(async (message) => {
    attempted.push(message);
    if (message.channel === 'SMS') throw new UnreachableError('not a mobile phone');
    throw new Error('no response');
  });
  const text: Message = { channel: 'SMS', id: 'text-1', to: '+12025550123', text: 'Yours.' };
  for (let nth = 0; nth < 20; nth++) {
    await t.throwsAsync(send(mail));
    await t.throwsAsync(send(text), { instanceOf: UnreachableError });
  }
  t.is(attempted.filter(({ channel }) => channel === 'SMS').length, 20);
});
