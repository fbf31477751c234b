/** An operation of the partner API, as the contract lists it. */
export interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
}

const blockAt = (indent: number) => new RegExp(`\\n(?=${' '.repeat(indent)}[^\\s#-][^\\n]*:)`);

/**
 * The partners' part of the contract: the paths under `/api/v1/partner` and what they refer to. It cuts
 * the text at its indentation, so that nothing is written anew; a test reads both as YAML and compares.
 * @param contract the whole of it, as YAML
 * @param apiUrl where partners reach the API
 */
export function partnersPart(contract: string, apiUrl: string): string {
  const [head = '', ...rest] = contract.trimEnd().split(blockAt(0));
  const parts = [head, ...rest].map((text) => text.split(blockAt(2)));
  const named = (name: string) => parts.find(([line]) => line === `${name}:`)?.slice(1) ?? [];
  const paths = named('paths').filter((text) => text.startsWith('  /api/v1/partner/'));
  const wanted = wantedOf(paths.join('\n'), componentsOf(named('components')));
  return [
    head,
    infoOf(parts.find(([line]) => line === 'info:') ?? []),
    `servers:\n  - url: ${JSON.stringify(apiUrl)}`,
    ['paths:', ...paths].join('\n'),
    ['components:', ...wanted].join('\n'),
    '',
  ].join('\n');
}

/** What the partners' paths do, in the order of the contract. */
export function operationsOf(part: string): Operation[] {
  const found = part.matchAll(
    /^ {2}(?<path>\/\S+):\n {4}(?<method>\w+):\n {6}operationId: (?<operationId>\w+)\n(?: {6}.*\n)*? {6}summary: (?<summary>.+)$/gm,
  );
  return [...found].map(({ groups = {} }) => {
    const { path = '', method = '', operationId = '', summary = '' } = groups;
    return { path, method: method.toUpperCase(), operationId, summary };
  });
}

/** The description begins with a paragraph on the operators' API too. */
function infoOf(lines: readonly string[]): string {
  const own = 'What partners’ back ends send and ask, signed, under `/api/v1/partner`.';
  const text = lines.join('\n');
  return text.replace(/(description: \|\n)[\s\S]*?(\n\s*\n {4}## )/, `$1    ${own}$2`);
}

interface Component {
  section: string;
  name: string;
  text: string;
}

function componentsOf(sections: readonly string[]): Component[] {
  return sections.flatMap((text) => {
    const [head = '', ...entries] = text.split(blockAt(4));
    const section = head.trim().slice(0, -1);
    return entries.map((entry) => ({
      section,
      name: entry.trim().split(':')[0] ?? '',
      text: entry,
    }));
  });
}

/** The components that a text refers to, and what those refer to, under their sections. */
function wantedOf(text: string, all: readonly Component[]): string[] {
  const isSigning = ({ section, name }: Component) =>
    section === 'securitySchemes' && !name.endsWith('Token');
  const wanted = new Set(all.filter(isSigning));
  const look = (from: string): void => {
    for (const one of all) {
      if (wanted.has(one) || !from.includes(`#/components/${one.section}/${one.name}"`)) continue;
      wanted.add(one);
      look(one.text);
    }
  };
  look(text);
  const bySection = Object.groupBy(
    all.filter((one) => wanted.has(one)),
    ({ section }) => section,
  );
  return Object.entries(bySection).flatMap(([section, entries = []]) => [
    `  ${section}:`,
    ...entries.map((entry) => entry.text),
  ]);
}
