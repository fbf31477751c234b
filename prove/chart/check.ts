import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject, openHelm } from './helm.ts';
import { createValidator } from './kubernetes-objects.ts';
import { unsafeIn } from './rules.ts';
import { defaultPlaces, type Place, refusedSettings, renderings } from './values.ts';

/**
 * Lints deploy/chart, renders it with every value, validates each object, and looks for what each value should change.
 * @returns the objects by the values, the kinds among them that are not Kubernetes' own, and the mistakes
 * @throws Error without Go
 */
export async function checkChart() {
  const helm = await openHelm();
  const problems = await helm.lint();
  const validate = await createValidator();
  const rendered: { what: string; objects: KubernetesObject[]; unknown: string[] }[] = [];
  const placed = new Set<string>();
  for (const { what, values, places } of renderings) {
    const objects = await helm.template({ values });
    const unknown = objects.filter((object) => !validate.knows(object)).map(({ kind }) => kind);
    rendered.push({ what, objects, unknown });
    const found = objects.flatMap((object) => [...validate(object), ...unsafeIn(object)]);
    const missing = [...defaultPlaces, ...Object.values(places).flat()].flatMap((place) =>
      missingIn(objects, place),
    );
    problems.push(...[...found, ...missing].map((problem) => `${what}: ${problem}`));
    for (const name of Object.keys(places)) placed.add(name);
  }
  for (const name of await namesOfValues()) {
    if (!placed.has(name)) problems.push(`nothing shows what ${name} changes`);
  }
  for (const [setting, says] of refusedSettings) {
    const message = await helm.template({ set: setting }).then(
      () => 'nothing',
      (error: { stderr?: string }) => error.stderr ?? '',
    );
    if (!says.test(message)) problems.push(`Helm accepts ${setting}: ${message}`);
  }
  return { rendered, problems };
}

/** @returns what is there instead */
function missingIn(objects: readonly KubernetesObject[], [of, path, wanted]: Place): string[] {
  const [kind, part] = of.split(' ');
  const object = objects.find(
    (one) =>
      one.kind === kind && (part === undefined || one.metadata.name.split('-').at(-1) === part),
  );
  const found = path === '' ? object : valueAt(object, path.split(' '));
  if (wanted instanceof RegExp ? wanted.test(String(found)) : isDeepStrictEqual(found, wanted)) {
    return [];
  }
  // One of a list.
  if (Array.isArray(found) && found.some((one) => isDeepStrictEqual(one, wanted))) return [];
  return [`${of}, ${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`];
}

/** @param path of names, indices, and `name=value` for the element of a list that has it */
function valueAt(value: unknown, path: readonly string[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined || value === undefined || value === null) return value;
  const [name = '', is] = first.split('=');
  if (is === undefined) return valueAt((value as Record<string, unknown>)[name], rest);
  const list = value as Record<string, unknown>[];
  return valueAt(
    list.find((one) => one[name] === is),
    rest,
  );
}

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
}

/** The names of all values, with those that a part sets for its own pods. */
async function namesOfValues(): Promise<string[]> {
  const file = new URL('../../deploy/chart/values.schema.json', import.meta.url);
  const schema: Schema = JSON.parse(await readFile(file, 'utf8'));
  const walk = (at: string, { properties, $ref }: Schema): string[] => {
    const [, own = ''] = /\/(pod|job)$/.exec($ref ?? '') ?? [];
    const inner = properties ?? schema.$defs?.[own]?.properties;
    if (inner === undefined) return [at];
    return Object.entries(inner).flatMap(([name, one]) =>
      walk(at === '' ? name : `${at}.${name}`, one),
    );
  };
  // What a parent chart shares changes nothing.
  return walk('', schema).filter((name) => name !== 'global');
}
