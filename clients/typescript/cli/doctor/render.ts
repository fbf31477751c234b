import type { DoctorReport } from './examine.ts';

/** The report as text. */
export function renderReport({ request, diagnosis, lines, rightSignature }: DoctorReport): string {
  const given = request.signature !== '' || lines.some(({ theirs }) => theirs !== null);
  const rows = lines.flatMap(({ line, name, ours, theirs, differs }) => [
    `  ${line}  ${name.padEnd(11)}${shown(ours)}`,
    ...(differs ? [`     ${'yours'.padEnd(11)}${shown(theirs)}   <-- differs`] : []),
  ]);
  const findings = diagnosis?.findings.map(
    ({ cause, what, advice }) => `${cause}: ${what}\n  What to do    ${advice}\n`,
  );
  const verdict = given
    ? 'Nothing is wrong with what you signed.\n'
    : 'Give --signature or --canonical to compare what you signed, or --send to try it.\n';
  return [
    'The string to sign, as the service builds it:\n',
    ...rows,
    '',
    `  signature      ${rightSignature}\n`,
    ...(findings ?? [verdict]),
  ].join('\n');
}

function shown(line: string | null): string {
  if (line === null) return '(no such line)';
  return line === '' ? '(an empty line)' : line;
}
