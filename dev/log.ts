/** Prints one line for the person running a command. */
export function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
