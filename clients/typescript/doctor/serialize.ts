/** How a JSON library writes: what stands between values, which characters it escapes, in which order. */
export interface JsonStyle {
  comma?: string;
  colon?: string;
  /** Characters that are written as an escape though JSON asks for none. */
  escaped?: RegExp;
  /** How such a character is written. */
  escape?: (character: string) => string;
  isSorted?: boolean;
}

/** Writes a JSON value on one line, in the style of a library. */
export function serialize(value: unknown, style: JsonStyle): string {
  const { comma = ',', colon = ':', isSorted = false } = style;
  const text = (raw: string) => {
    const written = JSON.stringify(raw);
    return style.escaped ? written.replace(style.escaped, style.escape ?? unicode) : written;
  };
  const write = (one: unknown): string => {
    if (typeof one === 'string') return text(one);
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    if (Array.isArray(one)) return `[${one.map(write).join(comma)}]`;
    const names = isSorted ? Object.keys(one).toSorted() : Object.keys(one);
    const fields = one as Record<string, unknown>;
    return `{${names.map((name) => text(name) + colon + write(fields[name])).join(comma)}}`;
  };
  return write(value);
}

/** One UTF-16 unit as most libraries escape it. */
export function unicode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
