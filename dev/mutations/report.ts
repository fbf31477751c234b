import { explanationOf } from './explained.ts';
import type { Mutant } from './instrument.ts';
import type { Verdict } from './verdict.ts';

/** The results for one part of the code. */
export interface PartReport {
  name: string;
  /** The mutants of the part, whether judged or not. */
  total: number;
  judged: { mutant: Mutant; verdict: Verdict }[];
}

/** The score of a part: explained survivors do not count either way. */
export function countsOf({ judged }: PartReport) {
  const killed = judged.filter(({ verdict }) => verdict.fate === 'killed').length;
  const open = judged.filter((one) => isOpen(one));
  const untouched = open.filter(({ verdict }) => verdict.fate === 'untouched').length;
  const survived = open.length - untouched;
  const excused = judged.length - killed - open.length;
  const score = killed + open.length === 0 ? 1 : killed / (killed + open.length);
  return { killed, survived, untouched, excused, score };
}

function isOpen({ mutant, verdict }: PartReport['judged'][number]): boolean {
  return verdict.fate !== 'killed' && explanationOf(mutant) === undefined;
}

const begin = (name: string) => `<!-- begin ${name} -->`;
const end = (name: string) => `<!-- end ${name} -->`;

/**
 * Replaces the results of a part on the page.
 * @param page the current report; empty for none
 */
export function withPart(page: string, part: PartReport, date: string, seed: number): string {
  const section = `${begin(part.name)}\n\n${sectionOf(part, date, seed)}\n${end(part.name)}\n`;
  const whole = page || head;
  const from = whole.indexOf(begin(part.name));
  const to = whole.indexOf(end(part.name));
  if (from === -1 || to === -1) return `${whole.trimEnd()}\n\n${section}`;
  return whole.slice(0, from) + section + whole.slice(to + end(part.name).length + 1);
}

const head = `# Mutation testing

\`npm run prove:mutations\` measures how much the tests notice. It changes the code in one place at a time, as a slip would
(\`<\` for \`<=\`, a condition that is always true, an empty block), and runs the tests that reach the place until one fails. A
change that no test notices survives; one that makes a test run forever counts as noticed. Texts are not changed. Where
servers are needed, a busy machine must not decide: a test file has to fail twice in a row, or take three times as long as
without the change, measured right afterwards.

Pure code runs only against \`test/domain/\` and the signature's own tests. The others run on real servers: the ledger against
\`test/models/ledger/\`, \`test/models/rewards/\` and \`test/activities/\`, the activities against \`test/activities/\` alone,
without \`money/races.test.ts\`. The random walks of \`properties.test.ts\` take too long for either, and workflows are not
changed. The score is the share of changes that were noticed, not counting those that make no difference, which
[explained.ts](../../dev/mutations/explained.ts) explains.
`;

function sectionOf(part: PartReport, date: string, seed: number): string {
  const { killed, survived, untouched, excused, score } = countsOf(part);
  const tried = part.judged.length;
  const how = tried < part.total ? `, a sample by seed ${seed} of ${part.total}` : ', all of them';
  const open = part.judged.filter((one) => isOpen(one));
  const notNoticed = open.filter(({ verdict }) => verdict.fate === 'survived');
  const excusedOnes = part.judged.filter((one) => one.verdict.fate !== 'killed' && !isOpen(one));
  const lines = [
    `## ${part.name}: ${(100 * score).toFixed(1)} %`,
    '',
    `Run on ${date}: ${tried} changes${how}; ${killed} noticed, ${survived} survived, ${untouched} not reached by these tests, ${excused} explained.`,
    '',
  ];
  if (notNoticed.length > 0) lines.push('### Not noticed', '', ...asDiff(notNoticed), '');
  if (untouched > 0) lines.push('### Not reached', '', ...notReached(open), '');
  if (excusedOnes.length > 0) {
    lines.push('### Explained', '', ...asDiff(excusedOnes), '');
  }
  return lines.join('\n');
}

/** One line for each file with code that the part's tests do not reach. */
function notReached(open: PartReport['judged']): string[] {
  const counts = new Map<string, number>();
  for (const { mutant, verdict } of open) {
    if (verdict.fate !== 'untouched') continue;
    counts.set(mutant.file, (counts.get(mutant.file) ?? 0) + 1);
  }
  return [...counts].map(([file, changes]) => `- ${file}: ${changes}`);
}

function asDiff(listed: PartReport['judged']): string[] {
  return ['```diff', ...listed.flatMap(({ mutant }) => asLines(mutant)), '```'];
}

/** The place of a mutant, its explanation if any, and the code before and after. */
function asLines(mutant: Mutant): string[] {
  const { file, line, was, becomes } = mutant;
  const why = explanationOf(mutant);
  return [`${file}:${line}${why === undefined ? '' : `: ${why}`}`, `- ${was}`, `+ ${becomes}`];
}
