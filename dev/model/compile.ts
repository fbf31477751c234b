/**
 * Compiles a parsed Quint module to JavaScript. Quint's own interpreter runs some two thousand steps of this
 * model per second; compiled, it runs a hundred times as many. Only the features that the model uses are
 * supported, all others are rejected; test/model compares both, state by state.
 *
 * A record is an object, a list an array, a set a sorted array of numbers or strings, and a map an object
 * with numbers as keys. Values are never mutated.
 */

/** An expression of Quint's intermediate representation, as written by `quint parse --out`. */
export type Ir =
  | { kind: 'bool' | 'int' | 'str'; value: boolean | number | string }
  | { kind: 'name'; name: string }
  | { kind: 'app'; opcode: string; args: Ir[] }
  | { kind: 'lambda'; params: { name: string }[]; expr: Ir }
  | { kind: 'let'; opdef: IrDef; expr: Ir };

export interface IrDef {
  kind: 'def';
  name: string;
  qualifier: 'pureval' | 'puredef' | 'val' | 'def' | 'action' | 'nondet';
  expr: Ir;
}

export interface IrModule {
  name: string;
  declarations: (IrDef | { kind: 'const' | 'var' | 'typedef'; name: string })[];
}

/** A runnable model: its actions return the next state, or undefined if they are not enabled. */
export interface Machine<State> {
  /** @param random from 0, below 1 */
  init(random: () => number): State;
  step(state: State, random: () => number): State | undefined;
  /** Every state that a step can lead to. */
  successors(state: State): State[];
  /** The result of one of the module's pure functions. */
  call(name: string, ...args: unknown[]): unknown;
  /** Whether an invariant holds in a state. */
  holds(invariant: string, state: State): boolean;
}

/**
 * @param constants the values of the module's constants
 * @throws Error for an unsupported feature of the language
 */
export function compile<State>(
  { name, declarations }: IrModule,
  constants: Readonly<Record<string, string | number>>,
): Machine<State> {
  const variables = declarations.filter(({ kind }) => kind === 'var');
  const [variable] = variables;
  if (variable === undefined || variables.length > 1) throw new Error(`${name} has one variable`);
  const defs = declarations.filter((one) => one.kind === 'def') as IrDef[];
  const values = defs.filter(({ qualifier }) => qualifier === 'val').map((def) => def.name);
  const actions = defs.filter(({ qualifier }) => qualifier === 'action').map((def) => def.name);
  const functions = defs.filter(({ qualifier }) => qualifier === 'puredef').map((def) => def.name);
  const write = createWriter({ variable: variable.name, values, actions });
  const source = [
    ...Object.entries(constants).map(([key, value]) => `const $${key} = ${JSON.stringify(value)};`),
    `let $${variable.name}; let random;`,
    ...defs.map(write.definition),
    `return {
      init: (given) => { random = given; return $init(); },
      step: (state, given) => { random = given; $${variable.name} = state; return $step(); },
      successors: (state) => { $${variable.name} = state; return lib.all((each) => { random = each; return $step(); }); },
      call: (name, ...args) => ({ ${functions.map((one) => `${one}: $${one}`).join(', ')} })[name](...args),
      holds: (invariant, state) => { $${variable.name} = state; return { ${values
        .map((one) => `${one}: $${one}`)
        .join(', ')} }[invariant](); },
    };`,
  ].join('\n');
  return new Function('lib', `'use strict';\n${source}`)(lib) as Machine<State>;
}

interface Names {
  variable: string;
  values: readonly string[];
  actions: readonly string[];
}

function createWriter({ variable, values, actions }: Names) {
  return { definition };

  function definition({ name, qualifier, expr }: IrDef): string {
    if (qualifier === 'pureval') return `const $${name} = ${value(expr)};`;
    if (qualifier === 'val') return `function $${name}() { ${body(expr)} }`;
    if (qualifier === 'action') return `function $${name}() { ${actionBody(expr)} }`;
    if (expr.kind !== 'lambda') throw new Error(`${name} takes no parameters`);
    return `function $${name}(${parameters(expr)}) { ${body(expr.expr)} }`;
  }

  function parameters({ params }: Extract<Ir, { kind: 'lambda' }>): string {
    return params.map((one, place) => (one.name === '_' ? `_${place}` : `$${one.name}`)).join(', ');
  }

  /** Statements that return the value of an expression. */
  function body(expr: Ir): string {
    if (expr.kind === 'let') {
      return `const $${expr.opdef.name} = ${value(expr.opdef.expr)}; ${body(expr.expr)}`;
    }
    if (expr.kind === 'app' && expr.opcode === 'ite') {
      const [condition, yes, no] = three(expr.args);
      return `if (${value(condition)}) { ${body(yes)} } else { ${body(no)} }`;
    }
    return `return ${value(expr)};`;
  }

  /** Statements that return the next state, or undefined where the action is not enabled. */
  function actionBody(expr: Ir): string {
    if (expr.kind === 'let' && expr.opdef.qualifier === 'nondet') {
      const { name, expr: choice } = expr.opdef;
      if (choice.kind !== 'app' || choice.opcode !== 'oneOf') throw new Error(`${name} is oneOf`);
      const from = value(first(choice.args));
      return `const $${name} = lib.pick(${from}, random); if ($${name} === undefined) return undefined; ${actionBody(expr.expr)}`;
    }
    if (expr.kind === 'let') {
      return `const $${expr.opdef.name} = ${value(expr.opdef.expr)}; ${actionBody(expr.expr)}`;
    }
    if (expr.kind === 'name' && actions.includes(expr.name)) return `return $${expr.name}();`;
    if (expr.kind === 'app') {
      const { opcode, args } = expr;
      if (opcode === 'assign') return `return ${value(args[1] as Ir)};`;
      if (opcode === 'actionAny') {
        return `return lib.any([${args.map((one) => `() => { ${actionBody(one)} }`).join(', ')}], random);`;
      }
      if (opcode === 'actionAll') {
        const [last] = args.slice(-1);
        const guards = args.slice(0, -1).map(value).join(' && ');
        return `if (!(${guards})) return undefined; ${actionBody(last as Ir)}`;
      }
    }
    throw new Error(`not supported in an action: ${JSON.stringify(expr).slice(0, 80)}`);
  }

  function value(expr: Ir): string {
    switch (expr.kind) {
      case 'bool':
      case 'int':
      case 'str':
        return JSON.stringify(expr.value);
      case 'name':
        return expr.name !== variable && values.includes(expr.name)
          ? `$${expr.name}()`
          : `$${expr.name}`;
      case 'lambda':
        return `((${parameters(expr)}) => { ${body(expr.expr)} })`;
      case 'let':
        return `(() => { ${body(expr)} })()`;
      case 'app':
        return application(expr.opcode, expr.args);
    }
  }

  function application(opcode: string, args: readonly Ir[]): string {
    if (opcode === 'with') return changed(args);
    if (opcode === 'field') return `${value(first(args))}.${stringOf(args[1])}`;
    const given = args.map(value);
    const [a = '', b = '', c = ''] = given;
    switch (opcode) {
      case 'Rec':
        return `({ ${given.flatMap((one, place) => (place % 2 === 1 ? `${stringOf(args[place - 1])}: ${one}` : [])).join(', ')} })`;
      case 'Map':
        if (given.length > 0) throw new Error('only an empty map is supported');
        return '({})';
      case 'List':
        return `[${given.join(', ')}]`;
      case 'Set':
        return `lib.set([${given.join(', ')}])`;
      case 'ite':
        return `(${a} ? ${b} : ${c})`;
      case 'and':
        return `(${given.join(' && ') || 'true'})`;
      case 'or':
        return `(${given.join(' || ') || 'false'})`;
      case 'not':
        return `!${a}`;
      case 'implies':
        return `(!${a} || ${b})`;
      case 'eq':
      case 'neq':
        return `${opcode === 'eq' ? '' : '!'}${args.some(isPlain) ? `(${a} === ${b})` : `lib.eq(${a}, ${b})`}`;
      case 'iuminus':
        return `(-${a})`;
      case 'append':
        return `[...${a}, ${b}]`;
      case 'get':
      case 'nth':
        return `${a}[${b}]`;
      case 'set':
      case 'put':
        return `({ ...${a}, [${b}]: ${c} })`;
      case 'length':
      case 'size':
        return `${a}.length`;
      case 'contains':
        return `${a}.includes(${b})`;
      case 'filter':
      case 'select':
        return `${a}.filter(${b})`;
      case 'forall':
        return `${a}.every(${b})`;
      case 'exists':
        return `${a}.some(${b})`;
      case 'fold':
      case 'foldl':
        return `${a}.reduce(${c}, ${b})`;
      default:
        if (operators[opcode]) return `(${a} ${operators[opcode]} ${b})`;
        if (opcode in lib) return `lib.${opcode}(${given.join(', ')})`;
        return `$${opcode}(${given.join(', ')})`;
    }
  }

  /** A chain of changed fields becomes one new object. */
  function changed(args: readonly Ir[]): string {
    const fields: string[] = [];
    let [of, field, to] = three(args);
    for (;;) {
      fields.unshift(`${stringOf(field)}: ${value(to)}`);
      if (of.kind !== 'app' || of.opcode !== 'with') break;
      [of, field, to] = three(of.args);
    }
    return `({ ...${value(of)}, ${fields.join(', ')} })`;
  }
}

const operators: Readonly<Record<string, string>> = {
  iadd: '+',
  isub: '-',
  imul: '*',
  imod: '%',
  ilt: '<',
  ilte: '<=',
  igt: '>',
  igte: '>=',
};

const isPlain = ({ kind }: Ir) => kind === 'str' || kind === 'int' || kind === 'bool';

function first(args: readonly Ir[]): Ir {
  const [one] = args;
  if (one === undefined) throw new Error('an argument is missing');
  return one;
}

function three(args: readonly Ir[]): [Ir, Ir, Ir] {
  if (args.length !== 3) throw new Error('three arguments are expected');
  return args as unknown as [Ir, Ir, Ir];
}

function stringOf(expr: Ir | undefined): string {
  if (expr?.kind !== 'str') throw new Error('a field has a name');
  return String(expr.value);
}

type Element = number | string;

/**
 * A random number from 0, below 1; or, when enumerating all possibilities, which of a number of choices to
 * take.
 */
type Chooser = (() => number) & { of?: (count: number) => number };

/** The functions that the compiled code calls. */
const lib = {
  set: (elements: readonly Element[]): Element[] =>
    [...new Set(elements)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
  union: (a: readonly Element[], b: readonly Element[]) =>
    b.every((one) => a.includes(one)) ? a : lib.set([...a, ...b]),
  exclude: (a: readonly Element[], b: readonly Element[]) => a.filter((one) => !b.includes(one)),
  subseteq: (a: readonly Element[], b: readonly Element[]) => a.every((one) => b.includes(one)),
  keys: (map: Readonly<Record<number, unknown>>) => Object.keys(map).map(Number),
  mapBy: (keys: readonly number[], of: (key: number) => unknown) =>
    Object.fromEntries(keys.map((key) => [key, of(key)])),
  setBy: <Value>(map: Record<number, Value>, key: number, of: (before: Value) => Value) => ({
    ...map,
    [key]: of(map[key] as Value),
  }),
  range(from: number, until: number): number[] {
    const numbers: number[] = [];
    for (let one = from; one < until; one++) numbers.push(one);
    return numbers;
  },
  to: (from: number, last: number) => lib.range(from, last + 1),
  idiv: (a: number, b: number) => Math.trunc(a / b),
  eq(a: unknown, b: unknown): boolean {
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => lib.eq(a[key as never], b[key as never]))
    );
  },
  pick: <One>(from: readonly One[], random: Chooser): One | undefined =>
    from[random.of ? random.of(from.length) : Math.floor(random() * from.length)],
  /** One of the enabled actions, all equally likely. */
  any<State>(actions: readonly (() => State | undefined)[], random: Chooser) {
    if (random.of) return actions[random.of(actions.length)]?.();
    const left = [...actions];
    while (left.length > 0) {
      const [action] = left.splice(Math.floor(random() * left.length), 1);
      const next = action?.();
      if (next !== undefined) return next;
    }
    return undefined;
  },
  /** All results of an action, over every choice that it can make. */
  all<State>(act: (each: Chooser) => State | undefined): State[] {
    const found: State[] = [];
    /** The possibility taken at each choice, and the number of possibilities. */
    let script: { taken: number; of: number }[] = [];
    do {
      let place = 0;
      const of = (count: number): number => {
        const choice = script[place] ?? { taken: 0, of: count };
        script[place] = choice;
        place += 1;
        return choice.taken;
      };
      const next = act(Object.assign(() => 0, { of }));
      if (next !== undefined) found.push(next);
      script = script.slice(0, place);
      while ((script.at(-1)?.taken ?? 0) + 1 >= (script.at(-1)?.of ?? 2)) script.pop();
      const last = script.at(-1);
      if (last) last.taken += 1;
    } while (script.length > 0);
    return found;
  },
};
