/** An object with some of its members replaced; the other methods stay bound to the original. */
export function overridden<T extends object>(
  original: T,
  members: Partial<Record<keyof T, unknown>>,
): T {
  return new Proxy(original, {
    get(target, name) {
      if (name in members) return Reflect.get(members, name);
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
