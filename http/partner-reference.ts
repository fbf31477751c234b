/** An operation of the partners' API, from its OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
}

const blockAt = (indent: number) => new RegExp(`\\n(?=${' '.repeat(indent)}[^\\s#-][^\\n]*:)`);

/**
 * The partners' part of the OpenAPI document: the paths under `/api/v1/partner` and the components that
 * they refer to. It splits the text by its indentation, so that comments and formatting stay as they
 * are; a test parses both documents as YAML and compares them.
 * @param contract the whole document, as YAML
 * @param apiUrl the base URL of the API for partners
 */
export function partnersPart(contract: string, apiUrl: string): string {
  const [head = '', ...rest] = contract.trimEnd().split(blockAt(0));
  const parts = [head, ...rest].map((text) => text.split(blockAt(2)));
  const named = (name: string) => parts.find(([line]) => line === `${name}:`)?.slice(1) ?? [];
  const paths = named('paths').filter((text) => text.startsWith('  /api/v1/partner/'));
  const components = referredComponents(paths.join('\n'), componentsOf(named('components')));
  return [
    head,
    infoOf(parts.find(([line]) => line === 'info:') ?? []),
    `servers:\n  - url: ${JSON.stringify(apiUrl)}`,
    ['paths:', ...paths].join('\n'),
    ['components:', ...components].join('\n'),
    '',
  ].join('\n');
}

/** The operations of the partners' part, in the order of the document. */
export function operationsOf(part: string): Operation[] {
  const found = part.matchAll(
    /^ {2}(?<path>\/\S+):\n {4}(?<method>\w+):\n {6}operationId: (?<operationId>\w+)\n(?: {6}.*\n)*? {6}summary: (?<summary>.+)$/gm,
  );
  return [...found].map(({ groups = {} }) => {
    const { path = '', method = '', operationId = '', summary = '' } = groups;
    return { path, method: method.toUpperCase(), operationId, summary };
  });
}

/** Replaces the first paragraph of the description, which is about the operators' API too. */
function infoOf(lines: readonly string[]): string {
  const own =
    'Partners’ back ends report purchases and refunds, and read what became of them, in signed requests under `/api/v1/partner`.';
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

/** The components that a text refers to, directly or through other components, by section. */
function referredComponents(text: string, all: readonly Component[]): string[] {
  const isSigning = ({ section, name }: Component) =>
    section === 'securitySchemes' && !name.endsWith('Token');
  const wanted = new Set(all.filter(isSigning));
  const addReferredBy = (from: string): void => {
    for (const one of all) {
      if (wanted.has(one) || !from.includes(`#/components/${one.section}/${one.name}"`)) continue;
      wanted.add(one);
      addReferredBy(one.text);
    }
  };
  addReferredBy(text);
  const bySection = Object.groupBy(
    all.filter((one) => wanted.has(one)),
    ({ section }) => section,
  );
  return Object.entries(bySection).flatMap(([section, entries = []]) => [
    `  ${section}:`,
    ...entries.map((entry) => entry.text),
  ]);
}
