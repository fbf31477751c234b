import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installPythonTools } from './tools/python-tools.ts';

const run = promisify(execFile);
const packageFolder = fileURLToPath(
  new URL('../clients/python/src/partner_events/', import.meta.url),
);

/** Names that differ beside `async` and `await`. */
const replaced = {
  AsyncClient: 'Client',
  AsyncTransport: 'Transport',
  AsyncSleep: 'Sleep',
  AsyncItems: 'Items',
  async_sleep: 'sleep',
  aclose: 'close',
};

const script = `
import json, sys, unasync
source, target, replaced = sys.argv[1:]
rule = unasync.Rule(source, target, additional_replacements=json.loads(replaced))
unasync.unasync_files([source + "client.py"], [rule])
`;

if (import.meta.main) await makeSynchronousClient(join(packageFolder, '_sync/'));

/** Makes the Python client's synchronous half from its asynchronous one. @param target a folder, with a slash */
export async function makeSynchronousClient(target: string): Promise<void> {
  const python = join(await installPythonTools(), 'python');
  await run(python, [
    '-c',
    script,
    join(packageFolder, '_async/'),
    target,
    JSON.stringify(replaced),
  ]);
}
