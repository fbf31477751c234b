import { once } from 'node:events';
import test from 'ava';
import { ServiceError } from '../../domain/errors.ts';
import type { HttpContext } from '../../http/context.ts';
import { readBody } from '../../http/read-body.ts';
import { responseTimeout } from '../../http/requests.ts';
import { startRaw } from './helpers/raw-server.ts';

const errors = {
  tooLarge: () => new ServiceError('PAYLOAD_TOO_LARGE', 'too large'),
  incomplete: () => new ServiceError('INVALID_JSON', 'incomplete'),
};
const upload = (length: number, sent: string): string =>
  `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${length}\r\n\r\n${sent}`;

const [short, long] = [1_000, 60_000];
for (const [what, bytes, timeoutMs, isHanging, expected] of [
  ['a late body is a refusal', upload(5, 'ab'), short, false, /400.*close.*INVALID_JSON/s],
  ['a long body is not read', upload(50, 'ab'), long, false, /413.*close.*PAYLOAD_TOO_LARGE/s],
  ['a late response is a 503', upload(2, 'ab'), short, true, /503.*UNAVAILABLE/s],
  ['a body in time is read', upload(2, 'ab'), long, false, /200.*ab$/s],
] as const) {
  test(what, async (t) => {
    const speak = await startRaw(t, {}, async (ctx) => {
      const context = ctx as unknown as HttpContext;
      await responseTimeout(timeoutMs)(context, async () => {
        const body = await readBody(context, 10, errors);
        if (isHanging) await new Promise(() => undefined);
        ctx.body = body.toString();
      }).catch((error: ServiceError) => {
        ctx.status = error.status;
        ctx.body = error.code;
      });
    });
    const [answer] = await once(await speak(bytes), 'data');
    t.regex(String(answer), expected);
  });
}
