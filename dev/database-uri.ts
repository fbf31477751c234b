const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/;

/** The same MongoDB, with any number of hosts, and another database. */
export function databaseUri(mongodbUri: string, database: string): string {
  const [, servers, options = ''] = parts.exec(mongodbUri) ?? [];
  if (servers === undefined) throw new Error('This is not a MongoDB URI.');
  return `${servers}/${database}${options}`;
}
