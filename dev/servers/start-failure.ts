import { readFile } from 'node:fs/promises';

const linesShown = 5;

/** Reports a server that exited while starting, with the last lines of its log. */
export async function startFailure(what: string, code: number, logFile: string): Promise<never> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  const lines = text.trim().split('\n');
  const errors = lines.filter((line) => /"s":"[EF]"|error|fail|panic/i.test(line));
  const shown = (errors.length > 0 ? errors : lines).slice(-linesShown).join('\n  ');
  throw new Error(
    `${what} exited at once (code ${code}). Is another start using the same data folder?\n` +
      `The end of ${logFile}:\n  ${shown}`,
  );
}
