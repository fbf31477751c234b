import { resolve } from '../http/partner-reference.ts';
import { referenceDocument } from '../reference/document.ts';
import type { OperationObject } from '../reference/openapi.ts';
import type { Schema } from '../reference/shapes.ts';
import { brief, pascal } from './client-words.ts';

/** The types of webhook events in the clients' languages, made from the reference. */

/** What a field can be. */
type Kind =
  | { is: 'string' | 'integer' | 'boolean' | 'object' }
  | { is: 'values'; values: readonly (string | number | boolean)[] }
  | { is: 'list'; of: Kind };

interface Field {
  name: string;
  kind: Kind;
  isNullable: boolean;
  isRequired: boolean;
  description: string;
}

interface Event {
  /** Such as `reward.claimed`. */
  type: string;
  /** In Pascal case, such as `RewardClaimed`. */
  name: string;
  /** When it happens: a sentence or two. */
  description: string;
  fields: Field[];
}

type Part = Omit<Schema, 'enum' | 'const'> & { enum?: unknown[]; const?: unknown };

function readEvents(): Event[] {
  const reference = referenceDocument();
  const resolved = (schema: Part): Part =>
    resolve<Part>(reference, schema as Part & { $ref: string });
  const partsOf = (given: Part): Part[] => {
    const schema = resolved(given);
    return [...(schema.allOf ?? []).flatMap((one) => partsOf(one as Part)), schema];
  };
  const propertiesOf = (schema: Part): Map<string, Part[]> => {
    const found = new Map<string, Part[]>();
    for (const { properties = {} } of partsOf(schema)) {
      for (const [name, one] of Object.entries(properties)) {
        found.set(name, [...(found.get(name) ?? []), one as Part]);
      }
    }
    return found;
  };
  const fieldOf = (name: string, nodes: readonly Part[], required: ReadonlySet<string>): Field => {
    const parts = nodes.flatMap(partsOf);
    const alternatives = parts.flatMap(({ anyOf = [] }) =>
      anyOf.flatMap((one) => partsOf(one as Part)),
    );
    const all = [...parts, ...alternatives];
    const types = all.flatMap(({ type = [] }) => type);
    const values = all.flatMap(
      ({ enum: some, const: one }) => some ?? (one === undefined ? [] : [one]),
    );
    const items = all.find((part) => part.items !== undefined)?.items;
    return {
      name,
      kind: kindOf(types, values, items && fieldOf('', [items as Part], required).kind),
      isNullable: types.includes('null') || values.includes(null),
      isRequired: required.has(name),
      description:
        parts.findLast(({ description }) => description !== undefined)?.description ?? '',
    };
  };
  return Object.entries(reference.webhooks).map(([type, { post }]) => {
    const { schema } = (post as OperationObject).requestBody?.content['application/json'] ?? {
      schema: {},
    };
    const data = propertiesOf(schema as Part).get('data') ?? [];
    const parts = data.flatMap(partsOf);
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    const names = new Set(data.flatMap((one) => [...propertiesOf(one).keys()]));
    return {
      type,
      name: pascal(type),
      description: brief((post as OperationObject).description ?? ''),
      fields: [...names].map((name) =>
        fieldOf(
          name,
          data.flatMap((one) => propertiesOf(one).get(name) ?? []),
          required,
        ),
      ),
    };
  });
}

function kindOf(types: readonly string[], values: readonly unknown[], items?: Kind): Kind {
  const known = values.filter((value) => value !== null) as (string | number | boolean)[];
  if (known.length > 0) return { is: 'values', values: [...new Set(known)] };
  if (items !== undefined) return { is: 'list', of: items };
  const type = types.find((one) => one !== 'null');
  if (type === 'string' || type === 'integer' || type === 'boolean') return { is: type };
  return { is: 'object' };
}

function typescriptOf(kind: Kind): string {
  if (kind.is === 'values')
    return kind.values
      .map((one) => (typeof one === 'string' ? `'${one}'` : String(one)))
      .join(' | ');
  if (kind.is === 'list') {
    const of = typescriptOf(kind.of);
    return of.includes(' | ') ? `(${of})[]` : `${of}[]`;
  }
  return {
    string: 'string',
    integer: 'number',
    boolean: 'boolean',
    object: 'Record<string, unknown>',
  }[kind.is];
}

export function typescriptEvents(): string {
  const events = readEvents();
  const interfaces = events.map(({ type, name, description: when, fields }) => {
    const lines = fields.map(
      ({ name: field, kind, isNullable, isRequired, description }) =>
        `    /** ${brief(description)} */\n    ${field}${isRequired ? '' : '?'}: ${typescriptOf(kind)}${isNullable ? ' | null' : ''};\n`,
    );
    const data = lines.length === 0 ? 'Example' : `{\n${lines.join('')}  } & Example`;
    return `/** ${when} */\nexport interface ${name}Event extends EventOf<'${type}'> {\n  data: ${data};\n}\n`;
  });
  const union = events.map(({ name }) => `  | ${name}Event`).join('\n');
  return `${interfaces.join('\n')}\n/** The content of a webhook. Types can be added: ignore those that you do not know. */\nexport type WebhookEvent =\n${union};`;
}

function pythonOf(kind: Kind): string {
  if (kind.is === 'values') {
    const values = kind.values.map((one) =>
      typeof one === 'boolean' ? (one ? 'True' : 'False') : JSON.stringify(one),
    );
    return `Literal[${values.join(', ')}]`;
  }
  if (kind.is === 'list') return `list[${pythonOf(kind.of)}]`;
  return { string: 'str', integer: 'int', boolean: 'bool', object: 'dict[str, Any]' }[kind.is];
}

/** The mark of a docstring that is longer than a line may be. */
const isLong = (text: string): string => (text.length > 100 ? '  # noqa: E501' : '');

export function pythonEvents(): string {
  const events = readEvents();
  const classes = events.map(({ type, name, description: when, fields }) => {
    const lines = fields.map(({ name: field, kind, isNullable, isRequired, description }) => {
      const known = `${pythonOf(kind)}${isNullable ? ' | None' : ''}`;
      const text = brief(description);
      const doc = text === '' ? '' : `    """${text}"""${isLong(text)}\n`;
      return `    ${field}: ${isRequired ? known : `NotRequired[${known}]`}\n${doc}`;
    });
    const data = `class ${name}Data(_Example):\n${lines.join('') || '    pass\n'}`;
    return `${data}\n\nclass ${name}(_Event):\n    """${when}"""${isLong(when)}\n\n    type: Literal["${type}"]\n    data: ${name}Data\n`;
  });
  const names = events.map(({ name }) => name).join('\n    | ');
  return `${classes.join('\n\n')}\n\n#: The content of a webhook. Types can be added: ignore those that you do not know.\nWebhookEvent: TypeAlias = (\n    ${names}\n)`;
}

function phpOf(kind: Kind): string {
  if (kind.is === 'values') {
    return kind.values.map((one) => (typeof one === 'string' ? `'${one}'` : String(one))).join('|');
  }
  if (kind.is === 'list') return `list<${phpOf(kind.of)}>`;
  return { string: 'string', integer: 'int', boolean: 'bool', object: 'array<string, mixed>' }[
    kind.is
  ];
}

export function phpEvents(): string {
  const events = readEvents();
  const classes = events.map(({ name, description: when, fields }) => {
    const shape = [
      ...fields.map(
        ({ name: field, kind, isNullable, isRequired }) =>
          ` *     ${field}${isRequired ? '' : '?'}: ${phpOf(kind)}${isNullable ? '|null' : ''},\n`,
      ),
      ' *     isExample?: true,\n',
    ];
    return `/**\n * ${when}\n *\n * @extends WebhookEvent<array{\n${shape.join('')} * }>\n */\nfinal class ${name} extends WebhookEvent\n{\n}\n`;
  });
  const types = events.map(({ type, name }) => `        '${type}' => ${name}::class,\n`).join('');
  return `${classes.join('\n')}\n/** @internal */\nfinal class Types\n{\n    /** @var array<string, class-string<WebhookEvent<array<string, mixed>>>> */\n    public const CLASSES = [\n${types}    ];\n}`;
}
