import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { Models } from '../../../models/schemas/index.ts';

type Operation = (...args: unknown[]) => unknown;
interface Cursor {
  toArray(): Promise<unknown[]>;
}
const operations = [
  ...['find', 'findOne', 'distinct', 'aggregate', 'countDocuments'],
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'findOneAndUpdate'],
];

/** The error of every operation of killed work. */
class KilledAtGate extends Error {
  override name = 'KilledAtGate';
}

interface Waiting {
  /** As `collection.operation`. */
  operation: string;
  go(): void;
  die(): void;
}

const working = new AsyncLocalStorage<GatedWork>();

/** Makes gated work wait before each of its database operations until it is released. */
export function makeGated(models: Models): void {
  for (const model of Object.values(models.connection.models)) {
    const collection = model.collection as unknown as Record<string, Operation>;
    for (const name of operations) {
      const operate = collection[name]?.bind(collection);
      if (operate === undefined) throw new Error(`a collection has no method ${name}`);
      const operation = `${model.collection.name}.${name}`;
      collection[name] = (...args) => {
        const work = working.getStore();
        if (work === undefined) return operate(...args);
        const released = async () => {
          await work.gate(operation);
          return await work.counted(async () => await operate(...args));
        };
        if (name !== 'find' && name !== 'aggregate') return released();
        // These return a cursor synchronously, and read when its results are requested.
        const all = async () => {
          await work.gate(operation);
          return await work.counted(() => (operate(...args) as Cursor).toArray());
        };
        return { toArray: all };
      };
    }
  }
}

/** Makes gated work wait at a place that is not a database operation. */
export const gate = async (name: string): Promise<void> => await working.getStore()?.gate(name);

/** Work that a test advances, one database operation at a time. */
export class GatedWork {
  /** The operations released so far, in their order. */
  readonly done: string[] = [];
  result: unknown;
  failure: unknown;
  #isOver = false;
  #isDead = false;
  #running = 0;
  #noteIdle = () => {};
  #waiting: Waiting[] = [];

  constructor(work: () => Promise<unknown>) {
    working
      .run(this, work)
      .then(
        (result) => {
          this.result = result;
        },
        (error: unknown) => {
          this.failure = error;
        },
      )
      .finally(() => {
        this.#isOver = true;
      });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async gate(operation: string): Promise<void> {
    if (this.#isDead) throw new KilledAtGate();
    await new Promise<void>((resolve, reject) => {
      const die = () => reject(new KilledAtGate());
      this.#waiting.push({ operation, go: resolve, die });
    });
    this.done.push(operation);
  }

  async counted<T>(operate: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await operate();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#noteIdle();
    }
  }

  /** Releases the matching operation, for which the work must be waiting. */
  async release(matches: (operation: string) => boolean): Promise<void> {
    await this.#rest();
    const place = this.#waiting.findIndex(({ operation }) => matches(operation));
    if (place === -1) throw new Error(`the work is waiting for ${this.awaited()}`);
    const [one] = this.#waiting.splice(place, 1);
    one?.go();
    await this.#rest();
  }

  /** Runs the work until it waits for a matching operation, or ends. */
  async runTo(matches: (operation: string) => boolean): Promise<void> {
    for (;;) {
      await this.#rest();
      if (this.#isOver || this.#waiting.some(({ operation }) => matches(operation))) return;
      for (const one of this.#waiting.splice(0)) one.go();
    }
  }

  /** Kills the work: none of the operations for which it waits is carried out. */
  async kill(): Promise<void> {
    this.#isDead = true;
    for (const one of this.#waiting.splice(0)) one.die();
    while (!this.#isOver) {
      for (const one of this.#waiting.splice(0)) one.die();
      await turn();
    }
  }

  awaited(): string {
    return this.#isOver ? 'nothing' : this.#waiting.map(({ operation }) => operation).join(', ');
  }

  /** Waits until none of the work's operations is running. */
  async #idle(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#noteIdle = resolve;
    });
  }

  /** Waits until the work waits for an operation, or ends. */
  async #rest(): Promise<void> {
    // After one operation, the work can reach others in the next turns of the event loop.
    for (let still = 0; still < 3; ) {
      if (this.#running > 0) await this.#idle();
      await turn();
      still = this.#isOver || (this.#running === 0 && this.#waiting.length > 0) ? still + 1 : 0;
    }
  }
}
