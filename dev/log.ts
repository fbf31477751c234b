/** Tells whoever waits for a command what it does, a line at a time. */
export function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
