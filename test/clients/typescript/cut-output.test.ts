import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';

test('the partner command ends quietly when its output is closed', async (t) => {
  const path = fileURLToPath(new URL('../../../clients/typescript/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [path, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  t.is(stderr, '');
  t.is(code, 0);
});
