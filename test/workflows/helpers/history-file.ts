import proto from '@temporalio/proto';

const { History: Type } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

/** A workflow's history as JSON; which machine and process recorded it is nobody's business. */
export function writeHistory(history: History): string {
  const object = Type.toObject(Type.create(history), {
    longs: String,
    enums: String,
    bytes: String,
  });
  return `${JSON.stringify(object, anonymous, 1)}\n`;
}

export function readHistory(json: string): History {
  return Type.fromObject(JSON.parse(json));
}

/** The SDK names itself by process and host, as an identity and as a queue of its own; a failure, its files. */
function anonymous(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' && /^\d+@\S+$/.test(value) ? 'recorder' : value;
}
