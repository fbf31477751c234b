import { isDeepStrictEqual } from 'node:util';

/**
 * The part of ava's API that the pure tests use, so that one process can run them thousands of times. A test
 * that passes in ava and fails here, or that uses more of ava, ends the run before the first mutant.
 */
export interface KeptTest {
  title: string;
  run: () => unknown;
}

export const kept: KeptTest[] = [];

interface ThrowsExpectation {
  instanceOf?: new (...args: never[]) => unknown;
  message?: string | RegExp | ((message: string) => boolean);
  name?: string;
  code?: string | number;
  is?: unknown;
  any?: boolean;
}

function hold(isTrue: boolean): void {
  if (!isTrue) throw new Error('an assertion failed');
}

function isLike(value: unknown, selector: unknown): boolean {
  if (typeof selector !== 'object' || selector === null) return Object.is(value, selector);
  if (typeof value !== 'object' || value === null) return false;
  return Reflect.ownKeys(selector).every((key) =>
    isLike(Reflect.get(value, key), Reflect.get(selector, key)),
  );
}

function matches(error: unknown, wanted: ThrowsExpectation): boolean {
  const { message = '', name, code } = error as { message?: string; name?: string; code?: string };
  const text = wanted.message;
  return (
    (wanted.instanceOf === undefined || error instanceof wanted.instanceOf) &&
    (wanted.name === undefined || wanted.name === name) &&
    (wanted.code === undefined || wanted.code === code) &&
    (!('is' in wanted) || Object.is(wanted.is, error)) &&
    (text === undefined ||
      (typeof text === 'string' && text === message) ||
      (text instanceof RegExp && text.test(message)) ||
      (typeof text === 'function' && text(message)))
  );
}

function thrownBy(run: () => unknown): { error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

const t = {
  is: (value: unknown, wanted: unknown) => hold(Object.is(value, wanted)),
  not: (value: unknown, other: unknown) => hold(!Object.is(value, other)),
  deepEqual: (value: unknown, wanted: unknown) => hold(isDeepStrictEqual(value, wanted)),
  notDeepEqual: (value: unknown, other: unknown) => hold(!isDeepStrictEqual(value, other)),
  like: (value: unknown, selector: unknown) => hold(isLike(value, selector)),
  true: (value: unknown) => hold(value === true),
  false: (value: unknown) => hold(value === false),
  truthy: (value: unknown) => hold(Boolean(value)),
  falsy: (value: unknown) => hold(!value),
  regex: (text: string, pattern: RegExp) => hold(pattern.test(text)),
  notRegex: (text: string, pattern: RegExp) => hold(!pattern.test(text)),
  pass: () => undefined,
  fail: () => hold(false),
  log: () => undefined,
  timeout: () => undefined,
  notThrows: (run: () => unknown) => hold(thrownBy(run) === undefined),
  throws(run: () => unknown, wanted: ThrowsExpectation = {}) {
    const thrown = thrownBy(run);
    hold(thrown !== undefined && matches(thrown.error, wanted));
    return thrown?.error;
  },
  async throwsAsync(run: (() => Promise<unknown>) | Promise<unknown>, wanted = {}) {
    const thrown = await (typeof run === 'function' ? run() : run).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    hold(thrown !== undefined && matches(thrown.error, wanted));
    return thrown?.error;
  },
};

type TestBody = (tools: typeof t, ...args: unknown[]) => unknown;
type Macro = TestBody | { exec: TestBody; title?: (given: string, ...args: unknown[]) => string };

function test(title: string, macro: Macro, ...args: unknown[]): void {
  const body = typeof macro === 'function' ? macro : macro.exec;
  kept.push({ title, run: () => body(t, ...args) });
}
test.macro = (macro: Macro): Macro => macro;
test.serial = test;

export default test;
