/** A string, with the colon after it if it is a name, or the beginning or end of an object. */
const tokens = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/gs;
const maxNameChars = 80;

/** The first name that occurs twice in one object, as JSON and shortened. @param text valid JSON */
export function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, written, colon] of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (written !== undefined && colon !== undefined) {
      const name: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written;
      const names = open.at(-1);
      if (names?.has(name)) return JSON.stringify(name.slice(0, maxNameChars));
      names?.add(name);
    }
  }
  return undefined;
}
