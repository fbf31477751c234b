import proto from '@temporalio/proto';

const { History: Type } = proto.temporal.api.history.v1;
export type History = proto.temporal.api.history.v1.IHistory;

/** A workflow's history as JSON, without details of the machine and the process that recorded it. */
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

/** Replaces the process and host in the SDK's identity and queue, and removes stack traces. */
function anonymous(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' && /^\d+@\S+$/.test(value) ? 'recorder' : value;
}
