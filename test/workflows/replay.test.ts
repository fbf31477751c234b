import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import test from 'ava';
import { everyPath } from './helpers/every-path.ts';
import { readHistory } from './helpers/history-file.ts';
import '../helpers/quiet-runtime.ts';
import '../helpers/servers.ts';

const folder = new URL('../histories/', import.meta.url);
const { WORKFLOW_BUNDLE } = process.env;
const workflows = WORKFLOW_BUNDLE
  ? { workflowBundle: { codePath: WORKFLOW_BUNDLE } }
  : { workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)) };

const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const textOf = async (name: string) => await readFile(new URL(name, folder), 'utf8');

/** The error of each replay, or undefined. One worker replays all histories. */
const replayed = new Map<string, Error | undefined>();
test.before(async () => {
  const histories = await Promise.all(
    files.map(async (name) => ({ workflowId: name, history: readHistory(await textOf(name)) })),
  );
  for await (const { workflowId, error } of Worker.runReplayHistories(workflows, histories)) {
    replayed.set(workflowId, error);
  }
});

test('every path of every workflow has a recorded history', (t) => {
  t.deepEqual(
    everyPath.filter((path) => !files.includes(`${path}.json`)),
    [],
  );
});

for (const name of files) {
  test(`a workflow recorded as ${name} continues with the current code`, (t) => {
    t.true(replayed.has(name));
    t.is(replayed.get(name), undefined);
  });
}

test('a history that the current code would not produce is detected', async (t) => {
  const upheld = await textOf('resumed-review-upheld.json');
  const history = upheld.replaceAll('adminReview', 'otherReview');
  await t.throwsAsync(Worker.runReplayHistory(workflows, readHistory(history)), {
    instanceOf: DeterminismViolationError,
  });
});

test('no recorded history names the machine that recorded it', async (t) => {
  for (const name of files) t.notRegex(await textOf(name), /"\d+@/, name);
});
