import type { Answers } from './figures.ts';

/** Who is asked, and as whom. */
export interface PartnerAccess {
  baseUrl: string;
  key: string;
  secret: string;
}

/** The floor's answers: Koa, the body and the signature; and the same with reads and writes. */
export const floorPaths = {
  signature: '/signature',
  /** One read, one insert. */
  insert: '/insert',
  /** Two reads, two inserts. */
  refund: '/refund',
  /** One read, one write of a document that is there. */
  claim: '/claim',
} as const;

/** What the load generator can do, over and over. */
export type Work =
  /** New orders, named after `orders` and counted from 0. */
  | { kind: 'purchases'; access: PartnerAccess; orders: string }
  /** The first `of` of those orders again, byte for byte. */
  | { kind: 'replays'; access: PartnerAccess; orders: string; of: number }
  /** Claims by the customers' links, each once, at the portal. */
  | { kind: 'claims'; access: PartnerAccess; tokens: readonly string[] }
  /** Refunds of the first of those orders, each once. */
  | { kind: 'refunds'; access: PartnerAccess; orders: string }
  | { kind: 'reads'; access: PartnerAccess; pathname: string }
  /** A purchase's request to a server that does only this much. */
  | { kind: 'floor'; access: PartnerAccess; pathname: string }
  /** Inserts of a document like this one, without HTTP. */
  | { kind: 'inserts'; mongodbUri: string };

/** Longer than any work lasts that ends by its number. */
export const longestMs = 20 * 60_000;

/** Work to be done so many at a time, until either bound is reached. */
export interface LoadJob {
  work: Work;
  concurrency: number;
  forMs: number;
  atMost: number;
}

export interface Generator {
  ask(job: LoadJob): Promise<Answers>;
}

/** Work that is ready to be done. */
export interface PreparedWork {
  /**
   * Does it once; the index says which.
   * @returns the status: one of 2xx for success, 0 where no answer came
   */
  runOne(index: number): Promise<number>;
  close(): Promise<void>;
}
