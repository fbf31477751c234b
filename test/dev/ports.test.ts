import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { choosePort, onFreePort } from '../../dev/servers/ports.ts';

const mongodb = { variable: 'MONGODB_PORT', what: 'MongoDB' };

/** Occupies a port until the test ends. */
async function takenPort(t: ExecutionContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('a taken default port is replaced by the next free one, with a notice', async (t) => {
  const taken = await takenPort(t);
  const lines: string[] = [];
  const port = await choosePort({ ...mongodb, preferredPort: taken }, {}, (line) =>
    lines.push(line),
  );
  t.true(port > taken);
  t.deepEqual(lines, [`Port ${taken} is taken; MongoDB uses ${port}.`]);
});

test('a port that is chosen for another server is not chosen again', async (t) => {
  const taken = await takenPort(t);
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const first = await choosePort({ ...mongodb, preferredPort: taken }, {}, log);
  const second = await choosePort({ ...mongodb, preferredPort: taken, except: [first] }, {}, log);
  t.true(second > first);
});

test('a taken port that was set explicitly is an error that names the variable', async (t) => {
  const taken = await takenPort(t);
  const env = { MONGODB_PORT: String(taken) };
  const error = await t.throwsAsync(choosePort({ ...mongodb, preferredPort: 27_017 }, env, t.log));
  t.regex(error.message, new RegExp(`MONGODB_PORT is ${taken}, .* taken`));
});

test('a free port that was set explicitly is used', async (t) => {
  const free = await choosePort({ ...mongodb, preferredPort: 0 }, {}, t.log);
  const env = { MONGODB_PORT: String(free) };
  t.is(await choosePort({ ...mongodb, preferredPort: 27_017 }, env, t.log), free);
});

for (const port of ['http', '0', '70000', '12.5']) {
  test(`the explicit port "${port}" is refused and named`, async (t) => {
    const env = { MONGODB_PORT: port };
    const error = await t.throwsAsync(
      choosePort({ ...mongodb, preferredPort: 27_017 }, env, t.log),
    );
    t.regex(error.message, /^MONGODB_PORT is/);
  });
}

test('if another process takes a port first, the next one is tried; any other error fails', async (t) => {
  const failures = [
    'listen tcp 127.0.0.1:1: bind: address already in use',
    'Address already in use',
  ];
  const start = async () => {
    const failure = failures.shift();
    if (failure) throw new Error(failure);
    return 'started';
  };
  t.is(await onFreePort(start), 'started');
  failures.push('no such program');
  await t.throwsAsync(onFreePort(start), { message: 'no such program' });
});
