import { resolve } from '../http/partner-reference.ts';
import { referenceDocument } from '../reference/document.ts';
import type { OperationObject } from '../reference/openapi.ts';
import type { Schema } from '../reference/shapes.ts';
import { brief, pascal } from './client-words.ts';

/** The types of the API's responses in the clients' languages, made from the reference. */

type Kind =
  | { is: 'string' | 'integer' | 'number' | 'boolean' | 'unknown' }
  | { is: 'values'; values: readonly unknown[] }
  | { is: 'list' | 'map'; of: Type }
  /** A component of the reference, declared by itself. */
  | { is: 'named'; name: string }
  | { is: 'object'; fields: Field[] };

interface Type {
  kind: Kind;
  isNullable: boolean;
}

interface Field {
  name: string;
  type: Type;
  isRequired: boolean;
  description: string;
}

/** Components in the order in which responses need them. */
interface Component {
  name: string;
  description: string;
  kind: Extract<Kind, { is: 'object' | 'values' }>;
}

const componentOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';

function readComponents(): Component[] {
  const reference: ReturnType<typeof referenceDocument> = JSON.parse(
    JSON.stringify(referenceDocument()),
  );
  const schemas = reference.components.schemas as Record<string, Schema>;
  const found = new Map<string, Component>();

  function typeOf(schema: Schema): Type {
    if (schema.$ref !== undefined) return typeOfComponent(componentOf(schema));
    const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (alternatives) {
      const types = alternatives.filter(({ type }) => type !== 'null').map(typeOf);
      const [only] = types;
      if (!only || types.length > 1) throw new Error(`No type for ${JSON.stringify(schema)}`);
      return { ...only, isNullable: only.isNullable || alternatives.length > types.length };
    }
    const { const: one, enum: values = one === undefined ? [] : [one] } = schema;
    const types = [schema.type ?? []].flat();
    const isNullable = types.includes('null') || values.includes(null);
    return {
      kind: kindOf(
        schema,
        values.filter((value) => value !== null),
        types,
      ),
      isNullable,
    };
  }

  function kindOf(schema: Schema, values: readonly unknown[], types: readonly string[]): Kind {
    if (values.length > 0) return { is: 'values', values };
    if (schema.items) return { is: 'list', of: typeOf(schema.items) };
    if (schema.properties) return { is: 'object', fields: fieldsOf(schema) };
    const { additionalProperties: others } = schema;
    if (types.includes('object')) {
      const of = typeof others === 'object' ? typeOf(others) : null;
      return { is: 'map', of: of ?? { kind: { is: 'unknown' }, isNullable: false } };
    }
    const type = types.find((one) => one !== 'null');
    if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean') {
      return { is: type };
    }
    throw new Error(`No type for ${JSON.stringify(schema)}`);
  }

  const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
    Object.entries(properties).map(([name, schema]) => ({
      name,
      type: typeOf(schema),
      isRequired: required.includes(name),
      description: brief(schema.description ?? schemas[componentOf(schema)]?.description ?? ''),
    }));

  function typeOfComponent(name: string): Type {
    const known = found.has(name) ? null : typeOf(schemas[name] ?? {});
    const kind = known?.kind;
    if (kind && kind.is !== 'object' && (kind.is !== 'values' || kind.values.length === 1)) {
      return known;
    }
    if (kind && known?.isNullable) return known;
    if (kind) {
      found.set(name, { name, kind, description: brief(schemas[name]?.description ?? '') });
    }
    return { kind: { is: 'named', name }, isNullable: false };
  }

  for (const [path, item] of Object.entries(reference.paths)) {
    if (!path.startsWith('/api/v1/partner/')) continue;
    for (const { responses } of Object.values(item as object).filter(isOperation)) {
      const [, given] = Object.entries(responses).find(([status]) => status < '300') ?? [];
      const { content } = resolve<{ content: Record<string, { schema: Schema }> }>(
        reference,
        given as { $ref: string },
      );
      const { schema } = content['application/json'] ?? {};
      if (schema) typeOf(schema);
    }
  }
  return [...found.values()];
}

const isOperation = (one: unknown): one is OperationObject =>
  typeof one === 'object' && one !== null && 'responses' in one;

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : String(value);

/** What the TypeScript client calls them. */
const inTypescript: Readonly<Record<string, string>> = {
  PartnerReward: 'Reward',
  PartnerOrder: 'Order',
  CheckoutRedemption: 'Redemption',
  OrderList: 'OrderListResponse',
  RedemptionList: 'RedemptionListResponse',
  ReconciliationPage: 'DifferencesResponse',
};

function typescriptOf({ kind, isNullable }: Type, indent: string): string {
  const plain = (() => {
    switch (kind.is) {
      case 'values':
        return kind.values.map(literal).join(' | ');
      case 'list': {
        const of = typescriptOf(kind.of, indent);
        return of.includes(' | ') && !of.startsWith('{') ? `(${of})[]` : `${of}[]`;
      }
      case 'map':
        return `Record<string, ${typescriptOf(kind.of, indent)}>`;
      case 'named':
        return inTypescript[kind.name] ?? kind.name;
      case 'object':
        return `{\n${typescriptFields(kind.fields, `${indent}  `)}${indent}}`;
      case 'integer':
        return 'number';
      default:
        return kind.is;
    }
  })();
  return isNullable ? `${plain} | null` : plain;
}

const typescriptFields = (fields: readonly Field[], indent: string): string =>
  fields
    .map(({ name, type, isRequired, description }) => {
      const doc = description === '' ? '' : `${indent}/** ${description} */\n`;
      const line = `${indent}${name}${isRequired ? '' : '?'}:`;
      return `${doc}${broken(line, typescriptOf(type, indent), indent)}`;
    })
    .join('');

const longestLine = 100;

/** A declaration on one line, or with a line for each alternative if it is too long. */
function broken(declared: string, type: string, indent: string): string {
  const line = `${declared} ${type};\n`;
  if (line.length <= longestLine + 1 || !type.includes(' | ') || type.includes('\n')) return line;
  const alternatives = type.split(' | ').map((one) => `\n${indent}  | ${one}`);
  return `${declared}${alternatives.join('')};\n`;
}

export function typescriptAnswers(): string {
  const declared = readComponents().map(({ name, kind, description }) => {
    const doc = description === '' ? '' : `/** ${description} */\n`;
    const known = inTypescript[name] ?? name;
    return kind.is === 'values'
      ? `${doc}${broken(`export type ${known} =`, kind.values.map(literal).join(' | '), '')}`
      : `${doc}export interface ${known} {\n${typescriptFields(kind.fields, '  ')}}\n`;
  });
  return declared.join('\n').trimEnd();
}

/** What the Python client calls them: a response without its suffix, so that what is in it is called otherwise. */
function inPython(name: string, all: ReadonlySet<string>): string {
  const renamed =
    { ReconciliationPage: 'Differences', CheckoutRedemption: 'Redemption' }[name] ?? name;
  if (renamed.endsWith('Response')) return renamed.slice(0, -'Response'.length);
  const plain = renamed.replace(/^Partner(?=Reward|Order)/, '');
  return all.has(`${plain}Response`) ? `${plain}Fields` : plain;
}

export function pythonAnswers(): string {
  const components = readComponents();
  const all = new Set(components.map(({ name }) => name));
  const made = new Map<string, string>();
  const declare = (name: string, code: string) => {
    if (made.has(name)) throw new Error(`Two types are called ${name}.`);
    made.set(name, code);
  };
  /** @param owner of an object that has no name of its own */
  function pythonOf({ kind, isNullable }: Type, owner: string): string {
    const plain = (() => {
      switch (kind.is) {
        case 'values':
          return literalsOf(kind.values);
        case 'list':
          return `list[${pythonOf(kind.of, owner)}]`;
        case 'map':
          return `dict[str, ${pythonOf(kind.of, owner)}]`;
        case 'named':
          return inPython(kind.name, all);
        case 'object':
          declareObject(owner, kind.fields, '');
          return owner;
        default:
          return {
            string: 'str',
            integer: 'int',
            number: 'float',
            boolean: 'bool',
            unknown: 'Any',
          }[kind.is];
      }
    })();
    return isNullable ? `${plain} | None` : plain;
  }
  function declareObject(name: string, fields: readonly Field[], description: string): void {
    const owner = name.replace(/Fields$/, '');
    const lines = fields.map(({ name: field, type, isRequired, description: about }) => {
      const known = pythonOf(type, `${owner}${pascal(field)}`);
      const line = `    ${field}: ${isRequired ? known : `NotRequired[${known}]`}`;
      return `${line}${line.length > longestPythonLine ? noqa : ''}\n${docstring(about)}`;
    });
    const doc = description === '' ? '' : `${docstring(description)}\n`;
    declare(name, `class ${name}(TypedDict):\n${doc}${lines.join('')}`);
  }
  for (const { name, kind, description } of components) {
    const known = inPython(name, all);
    if (kind.is === 'values') {
      const line = `${known}: TypeAlias = ${literalsOf(kind.values)}`;
      declare(known, `${line}${line.length > longestPythonLine ? noqa : ''}\n`);
      continue;
    }
    declareObject(known, kind.fields, description);
  }
  return [...made.values()].join('\n\n').trimEnd();
}

const literalsOf = (values: readonly unknown[]): string => {
  const known = values.map((one) =>
    typeof one === 'boolean' ? (one ? 'True' : 'False') : JSON.stringify(one),
  );
  return `Literal[${known.join(', ')}]`;
};

const longestPythonLine = 110;
const noqa = '  # noqa: E501';

const docstring = (text: string): string =>
  text === '' ? '' : `    """${text}"""${text.length > longestPythonLine - 10 ? noqa : ''}\n`;
