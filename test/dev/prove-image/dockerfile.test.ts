import { readFile } from 'node:fs/promises';
import test from 'ava';
import { readDockerfile, variablesIn } from '../../../dev/prove-image/dockerfile.ts';

test('stages and multi-line instructions are parsed without comments', (t) => {
  const text = [
    ...[
      '# a comment',
      'FROM node:24 AS made',
      'RUN one \\',
      '  && two \\',
      '  # within',
      '  && three',
    ],
    ...['', 'FROM scratch', 'ENV A=1 \\', '    B=x=y', 'COPY --from=made /a /b'],
  ].join('\n');
  const [made, last, ...others] = readDockerfile(text);
  t.deepEqual(made, {
    image: 'node:24',
    instructions: [{ name: 'RUN', text: 'one && two && three' }],
  });
  t.is(last?.image, 'scratch');
  t.deepEqual(last?.instructions.at(-1), { name: 'COPY', text: '--from=made /a /b' });
  t.deepEqual(variablesIn(last?.instructions[0]?.text ?? ''), { A: '1', B: 'x=y' });
  t.deepEqual(others, []);
});

test('a file that does not start with FROM is not a Dockerfile', (t) => {
  t.throws(() => readDockerfile('RUN ls'), { message: /starts with FROM, not with RUN/ });
});

test('the image has no shell and its own user, and starts the API by default', async (t) => {
  const text = await readFile(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const last = readDockerfile(text).at(-1);
  const of = (name: string) => last?.instructions.filter((one) => one.name === name) ?? [];
  t.regex(last?.image ?? '', /distroless/);
  t.deepEqual(of('RUN'), [], 'the image has no shell for it');
  t.is(of('USER')[0]?.text, '1000:1000');
  t.is(of('CMD')[0]?.text, '["node", "api/server.ts"]');
});
