import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { goIn } from '../../dev/tools/go.ts';
import { type KubernetesObject, kubernetesVersion } from './helm.ts';

interface Schema {
  properties?: Record<string, unknown>;
  additionalProperties?: unknown;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  [keyword: string]: unknown;
}

/**
 * Returns a function that finds an object's mistakes by Kubernetes' own OpenAPI, including unknown fields. It
 * accepts objects of other kinds.
 * @throws Error without Go
 */
export async function createValidator() {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const places = new Map<string, string>();
  for (const [index, text] of (await openApis()).entries()) {
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, Schema> } };
    const document = { $id: `file:${index}`, components };
    closeObjects(document);
    ajv.addSchema(document);
    for (const [name, schema] of Object.entries(components.schemas)) {
      for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
        const apiVersion = group === '' ? version : `${group}/${version}`;
        places.set(`${apiVersion} ${kind}`, `${document.$id}#/components/schemas/${name}`);
      }
    }
  }
  const placeOf = ({ apiVersion, kind }: KubernetesObject) => places.get(`${apiVersion} ${kind}`);
  const compiled = new Map<string, ValidateFunction>();
  const validate = (object: KubernetesObject): string[] => {
    const $ref = placeOf(object);
    if ($ref === undefined) return [];
    const holds = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, holds);
    holds(object);
    return (holds.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${object.kind} ${object.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
  return Object.assign(validate, {
    /** Whether the object is of one of Kubernetes' own kinds. */
    knows: (object: KubernetesObject) => placeOf(object) !== undefined,
  });
}

async function openApis(): Promise<string[]> {
  const module = `k8s.io/kubernetes@v${kubernetesVersion}`;
  const download = ['mod', 'download', '-json', module];
  const { Dir } = JSON.parse(await goIn(new URL('.', import.meta.url), download));
  const folder = join(Dir, 'api', 'openapi-spec', 'v3');
  // Groups in a stable version.
  const files = (await readdir(folder)).filter((file) => /__v\d+_openapi\.json$/.test(file));
  return await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
}

/** Forbids unknown properties in every object, as the API server does in strict mode. */
function closeObjects(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const value of Object.values(node)) closeObjects(value);
  const schema = node as Schema;
  const isOpen =
    schema.additionalProperties !== undefined || schema['x-kubernetes-preserve-unknown-fields'];
  if (
    schema.properties &&
    typeof schema.properties === 'object' &&
    schema.type === 'object' &&
    !isOpen
  ) {
    schema.additionalProperties = false;
  }
}
