import { fileURLToPath } from 'node:url';
import test from 'ava';
import { conformance } from './suite.ts';

const driver = new URL('../../../clients/conformance/drivers/typescript.ts', import.meta.url);
conformance(test, 'TypeScript', async () => ({
  command: process.execPath,
  args: [fileURLToPath(driver)],
}));
