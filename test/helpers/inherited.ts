/** These environment variables of this process, as far as they are set, for an environment that has few others. */
export function inherited(names: readonly string[]): Record<string, string> {
  const entries = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Record<string, string>;
}

/** Where Node keeps compiled code (`dev/bootstrap.mjs`), which halves the CPU time in which a process starts. */
export const compileCache = inherited(['NODE_COMPILE_CACHE']);
