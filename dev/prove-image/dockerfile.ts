/** A line of a Dockerfile: an instruction such as `COPY`, and its arguments. */
export interface Instruction {
  name: string;
  text: string;
}

export interface Stage {
  /** The base image. */
  image: string;
  instructions: Instruction[];
}

/**
 * Parses a Dockerfile: its stages in order, without comments, each instruction as one line.
 * @throws Error if it does not start with FROM
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  const stages: Stage[] = [];
  for (const line of lines) {
    const [name = '', ...words] = line.split(/\s+/);
    if (name === 'FROM') stages.push({ image: words[0] ?? '', instructions: [] });
    else if (stages.length === 0)
      throw new Error(`A Dockerfile starts with FROM, not with ${name}.`);
    else stages.at(-1)?.instructions.push({ name, text: line.slice(name.length).trim() });
  }
  return stages;
}

/** The variables of an `ENV` with `name=value` pairs. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
