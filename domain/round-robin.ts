/**
 * Takes items from several lists in turn, one from each at a time, so that a long list does not
 * hold up the others.
 * @param lists each in its own order, which is kept
 */
export function roundRobin<T>(lists: readonly (readonly T[])[], atMost: number): T[] {
  const taken: T[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let nth = 0; nth < longest; nth++) {
    for (const list of lists) {
      if (taken.length >= atMost) return taken;
      if (nth < list.length) taken.push(list[nth] as T);
    }
  }
  return taken;
}
