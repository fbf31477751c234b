import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, percentile, table } from './figures.ts';

const ourTree = fileURLToPath(new URL('../../../', import.meta.url));
const bench = 'dev/bench/load.ts';
const rounds = 3;

/** The figures of a run, by table, row and column. */
type Figures = Map<string, number>;

/**
 * Measures this tree and another commit in alternation, each with its own bench on fresh data, so that other
 * load on the machine affects both.
 * @param commit uses the packages installed here
 * @param args for both benches
 * @param parts to measure, if both commits can
 * @returns a table of the medians
 */
export async function compareWithCommit(
  commit: string,
  args: readonly string[],
  parts: readonly string[],
  log: (line: string) => void,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-against-'));
  const theirTree = join(folder, 'tree');
  await run('git', ['worktree', 'add', '--detach', theirTree, commit], ourTree);
  try {
    await symlink(join(ourTree, 'node_modules'), join(theirTree, 'node_modules'));
    const known = partsIn(await run(process.execPath, [bench, '--help'], theirTree));
    const shared = parts.filter((part) => known.includes(part));
    const unknown = parts.filter((part) => !known.includes(part));
    if (shared.length === 0) throw new Error(`${commit} supports none of: ${parts.join(', ')}`);
    if (unknown.length > 0)
      log(`Skipped, because ${commit} does not support them: ${unknown.join(', ')}.`);
    // With --only, neither bench writes its page.
    const command = [bench, ...args, '--only', ...shared];
    const found: { ours: Figures[]; theirs: Figures[] } = { ours: [], theirs: [] };
    for (let round = 1; round <= rounds; round++) {
      for (const [whose, tree] of [
        ['theirs', theirTree],
        ['ours', ourTree],
      ] as const) {
        log(`Round ${round} of ${rounds}: ${whose === 'ours' ? 'this tree' : commit} …`);
        found[whose].push(figuresIn(await run(process.execPath, command, tree)));
      }
    }
    return comparison(commit, found.ours, found.theirs);
  } finally {
    await run('git', ['worktree', 'remove', '--force', theirTree], ourTree);
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Error with the end of its output if it fails */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output.slice(-2_000)}`);
  return output;
}

/** Reads the names of a bench's parts from its help. */
export function partsIn(help: string): string[] {
  const [, choices = ''] = /--only <parts\.\.\.>[^(]*\(choices:([^)]*)\)/.exec(help) ?? [];
  return [...choices.matchAll(/"(\w+)"/g)].flatMap(([, name]) => name ?? []);
}

/** Parses the tables that a bench prints. The first cell and the concurrency identify a row. */
export function figuresIn(text: string): Figures {
  const figures: Figures = new Map();
  let head: string[] = [];
  for (const line of text.split('\n')) {
    const cells = cellsOf(line);
    if (cells === undefined) head = [];
    else if (head.length === 0) head = cells;
    else if (!cells.every((cell) => /^-+:?$/.test(cell))) {
      const isKey = (title: string, index: number) => index === 0 || title === 'concurrency';
      const row = cells.filter((_, index) => isKey(head[index] ?? '', index)).join(', ');
      for (const [index, title] of head.entries()) {
        const value = Number(cells[index]?.replaceAll(',', '') || Number.NaN);
        if (isKey(title, index) || !Number.isFinite(value)) continue;
        figures.set(`${row}: ${title}`, value);
      }
    }
  }
  return figures;
}

function cellsOf(line: string): string[] | undefined {
  if (!line.startsWith('| ')) return undefined;
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** A table of both medians, for all figures that both runs have. */
export function comparison(
  commit: string,
  ours: readonly Figures[],
  theirs: readonly Figures[],
): string {
  const median = (runs: readonly Figures[], name: string) =>
    percentile(
      runs.flatMap((figures) => figures.get(name) ?? []),
      0.5,
    );
  const rows = [...(ours[0]?.keys() ?? [])].flatMap((name) => {
    const [mine, other] = [median(ours, name), median(theirs, name)];
    if (!Number.isFinite(other)) return [];
    return [[name, figure(other), figure(mine), figure(other === 0 ? undefined : mine / other)]];
  });
  return table(['metric, median', commit, 'this tree', 'ratio'], rows);
}
