/** Something would have been decided on what was not read: a fault of the service, which writes nothing. */
export class NotReadError extends Error {
  override name = 'NotReadError';
}

/** A document as it was read, if it existed, and as facts left it. */
export interface Change<Doc> {
  before: Doc | undefined;
  after: Doc;
}

/**
 * The documents of one kind that were asked for, by id, whether they exist or not, and what facts made of them.
 * Reading or replacing another one throws: taken for a document that does not exist, it would be overwritten.
 */
export class Known<Doc> {
  readonly #kind: string;
  readonly #below: ReadonlyMap<string, Doc | undefined> | Known<Doc>;
  readonly #made = new Map<string, Doc>();

  /** @param below what was read, undefined for a document that does not exist; or what it is a layer on */
  constructor(kind: string, below: ReadonlyMap<string, Doc | undefined> | Known<Doc>) {
    this.#kind = kind;
    this.#below = below;
  }

  /** @throws NotReadError */
  get(id: string): Doc | undefined {
    const made = this.#made.get(id);
    if (made !== undefined) return made;
    if (this.#below instanceof Known) return this.#below.get(id);
    if (!this.#below.has(id)) throw new NotReadError(`the ${this.#kind} ${id} was not read`);
    return this.#below.get(id);
  }

  /** Puts a document in the place of the one that was read. @throws NotReadError */
  set(id: string, doc: Doc): void {
    this.get(id);
    this.#made.set(id, doc);
  }

  /** Adds a document with a new id, which is inserted, and so replaces none. */
  add(id: string, doc: Doc): void {
    this.#made.set(id, doc);
  }

  /** All that exist, in no order. */
  values(): Doc[] {
    return [...this.#all().values()];
  }

  #all(): Map<string, Doc> {
    if (this.#below instanceof Known) return new Map([...this.#below.#all(), ...this.#made]);
    const all = new Map(this.#made);
    for (const [id, doc] of this.#below) if (doc !== undefined && !all.has(id)) all.set(id, doc);
    return all;
  }

  /** What was changed or added, in this layer. */
  changes(): Change<Doc>[] {
    return [...this.#made].map(([id, after]) => ({ before: this.#beneath(id), after }));
  }

  #beneath(id: string): Doc | undefined {
    const below = this.#below;
    if (!(below instanceof Known)) return below.get(id);
    return below.#made.get(id) ?? below.#beneath(id);
  }

  /** Its changes leave this one as it is, until it is kept. */
  layer(): Known<Doc> {
    return new Known(this.#kind, this);
  }

  keep(layer: Known<Doc>): void {
    for (const [id, doc] of layer.#made) this.#made.set(id, doc);
  }
}
