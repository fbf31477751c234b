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

/** What a killed process says of whatever it was doing. */
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

/** Lets gated work wait before each of its operations on the database until it is told to go on. */
export function makeGated(models: Models): void {
  for (const model of Object.values(models.connection.models)) {
    const collection = model.collection as unknown as Record<string, Operation>;
    for (const name of operations) {
      const operate = collection[name]?.bind(collection);
      if (operate === undefined) throw new Error(`a collection has ${name}`);
      const operation = `${model.collection.name}.${name}`;
      collection[name] = (...args) => {
        const work = working.getStore();
        if (work === undefined) return operate(...args);
        const awaited = async () => {
          await work.gate(operation);
          return await work.counted(async () => await operate(...args));
        };
        if (name !== 'find' && name !== 'aggregate') return awaited();
        // What is found is asked of a cursor, which is there at once.
        const all = async () => {
          await work.gate(operation);
          return await work.counted(() => (operate(...args) as Cursor).toArray());
        };
        return { toArray: all };
      };
    }
  }
}

/** Waits where gated work is to be stopped that is no operation of the database. */
export const gate = async (name: string): Promise<void> => await working.getStore()?.gate(name);

/** Some work that goes on only when it is told to, one operation on the database at a time. */
export class GatedWork {
  /** What it has done so far. */
  readonly done: string[] = [];
  result: unknown;
  failure: unknown;
  #isOver = false;
  #isDead = false;
  #running = 0;
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
    }
  }

  /** Lets the operation go that the work stands before and that is meant. */
  async release(isMeant: (operation: string) => boolean): Promise<void> {
    await this.#rest();
    const place = this.#waiting.findIndex(({ operation }) => isMeant(operation));
    if (place === -1) throw new Error(`it waits for ${this.where()}`);
    const [one] = this.#waiting.splice(place, 1);
    one?.go();
    await this.#rest();
  }

  /** Lets it go on until it stands before what is meant, or is over. */
  async runTo(isMeant: (operation: string) => boolean): Promise<void> {
    for (;;) {
      await this.#rest();
      if (this.#isOver || this.#waiting.some(({ operation }) => isMeant(operation))) return;
      for (const one of this.#waiting.splice(0)) one.go();
    }
  }

  /** Its process dies: nothing that it stands before is done. */
  async kill(): Promise<void> {
    this.#isDead = true;
    for (const one of this.#waiting.splice(0)) one.die();
    while (!this.#isOver) {
      for (const one of this.#waiting.splice(0)) one.die();
      await turn();
    }
  }

  where(): string {
    return this.#isOver ? 'nothing' : this.#waiting.map(({ operation }) => operation).join(', ');
  }

  /** Until it stands before something, or is over. */
  async #rest(): Promise<void> {
    // Several operations may be asked for one after the other without any in between.
    for (let still = 0; still < 3; ) {
      await turn();
      still = this.#isOver || (this.#running === 0 && this.#waiting.length > 0) ? still + 1 : 0;
    }
  }
}
