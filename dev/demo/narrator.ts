import { styleText } from 'node:util';

export interface Narrator {
  chapter(title: string): void;
  step(what: string): void;
  happened(what: string): void;
  link(what: string, url: string): void;
}

/** Prints the scenario as text, with colours if the terminal supports them. */
export function createNarrator(write: (text: string) => void): Narrator {
  const styled = (style: Parameters<typeof styleText>[0], text: string) =>
    styleText(style, text, { stream: process.stdout, validateStream: true });
  let steps = 0;
  return {
    chapter(title) {
      write(`\n${styled('bold', title)}\n`);
    },
    step(what) {
      steps += 1;
      write(`\n${styled('cyan', String(steps).padStart(2))}  ${what}\n`);
    },
    happened(what) {
      write(`    ${styled('green', '→')} ${what}\n`);
    },
    link(what, url) {
      write(`      ${styled('dim', `${what}: ${url}`)}\n`);
    },
  };
}
