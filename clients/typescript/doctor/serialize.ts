/** How a JSON library serializes: separators, escaped characters, and the order of fields. */
export interface JsonStyle {
  comma?: string;
  colon?: string;
  /** Characters that it escapes although JSON does not require it. */
  escaped?: RegExp;
  /** The escape of such a character. */
  escape?: (character: string) => string;
  isSorted?: boolean;
}

/** Serializes a JSON value on one line, in the style of a library. */
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
