import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import webpack from 'webpack';

const context = fileURLToPath(new URL('../../', import.meta.url));
const loader = createRequire(import.meta.url).resolve('swc-loader');

/** Bundles the partners' command with its packages, readable, for Node 22.12 and newer. @returns the file */
export async function bundleCommand(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'partner-events-'));
  try {
    await run({
      mode: 'none',
      target: 'node22',
      context,
      entry: './clients/typescript/cli.ts',
      devtool: false,
      experiments: { outputModule: true },
      output: { path: folder, filename: 'command.mjs', module: true, asyncChunks: false },
      module: {
        rules: [
          {
            test: /\.ts$/,
            loader,
            options: { swcrc: false, jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } },
          },
        ],
      },
    });
    return await readFile(join(folder, 'command.mjs'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(configuration: webpack.Configuration): Promise<void> {
  return new Promise((resolve, reject) => {
    const compiler = webpack(configuration);
    compiler?.run((error, stats) => {
      const problem = error ?? stats?.compilation.errors[0];
      compiler.close(() => (problem ? reject(problem) : resolve()));
    });
  });
}
