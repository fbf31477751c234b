import { TestWorkflowEnvironment } from '@temporalio/testing';

/** `fetch-temporal.ts <folder>`: has the SDK put the Temporal CLI into the folder, by starting it once. */
const [downloadDir] = process.argv.slice(2);
if (!downloadDir) throw new Error('usage: fetch-temporal.ts <folder>');
const environment = await TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir } },
});
await environment.teardown();
