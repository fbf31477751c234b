import type { Answers } from './figures.ts';

export interface PartnerAccess {
  baseUrl: string;
  key: string;
  secret: string;
}

/** The paths of the floor server: Koa, the body and the signature; and the same with reads and writes. */
export const floorPaths = {
  signature: '/signature',
  /** One read, one insert. */
  insert: '/insert',
  /** Two reads, two inserts. */
  refund: '/refund',
  /** One read, one update of an existing document. */
  claim: '/claim',
} as const;

/** What the load generator can do repeatedly. */
export type Work =
  /** New orders, named after `orders` and numbered from 0. */
  | { kind: 'purchases'; access: PartnerAccess; orders: string }
  /** The first `of` of those orders again, byte for byte. */
  | { kind: 'replays'; access: PartnerAccess; orders: string; of: number }
  /** Claims by the customers' links on the portal, each once. */
  | { kind: 'claims'; access: PartnerAccess; tokens: readonly string[] }
  /** Refunds of the first of those orders, each once. */
  | { kind: 'refunds'; access: PartnerAccess; orders: string }
  | { kind: 'reads'; access: PartnerAccess; pathname: string }
  /** A purchase request to the floor server. */
  | { kind: 'floor'; access: PartnerAccess; pathname: string }
  /** Inserts of a document like a floor's, without HTTP. */
  | { kind: 'inserts'; mongodbUri: string };

/** Longer than any work that is limited by its count. */
export const longestMs = 20 * 60_000;

/** Work to do with some concurrency, until either limit is reached. */
export interface LoadJob {
  work: Work;
  concurrency: number;
  forMs: number;
  atMost: number;
}

export interface Generator {
  ask(job: LoadJob): Promise<Answers>;
}

export interface PreparedWork {
  /**
   * Runs it once.
   * @returns the status: 2xx for success, 0 for no response
   */
  runOne(index: number): Promise<number>;
  close(): Promise<void>;
}
