type Itf =
  | string
  | number
  | boolean
  | Itf[]
  | { '#bigint': string }
  | { '#set': Itf[] }
  | { '#map': [Itf, Itf][] }
  | { [field: string]: Itf };

/** Converts a state of a Quint trace (Informal Trace Format) to the form of compiled code. */
export function stateOfItf(state: Record<string, unknown>): unknown {
  const [variable] = Object.keys(state).filter((name) => /(^|::)s$/.test(name));
  return fromItf(state[variable ?? 's'] as Itf);
}

function fromItf(itf: Itf): unknown {
  if (typeof itf !== 'object') return itf;
  if (Array.isArray(itf)) return itf.map(fromItf);
  if ('#bigint' in itf) return Number(itf['#bigint']);
  if ('#set' in itf) {
    const elements = (itf['#set'] as Itf[]).map(fromItf) as (number | string)[];
    return elements.sort((a, b) => (a < b ? -1 : 1));
  }
  if ('#map' in itf) {
    const pairs = (itf['#map'] as [Itf, Itf][]).map(([key, one]) => [fromItf(key), fromItf(one)]);
    return Object.fromEntries(pairs);
  }
  return Object.fromEntries(Object.entries(itf).map(([field, one]) => [field, fromItf(one)]));
}
