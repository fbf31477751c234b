import { setImmediate as turn } from 'node:timers/promises';
import { type BodyEvidence, examineBody, measureBody } from '../clients/typescript/doctor/index.ts';
import {
  keepRefusedRequests,
  type RefusedRequest,
  sealRefusedRequest,
} from '../models/events/refused-requests.ts';
import type { ApiDeps } from './deps.ts';

/** A request whose signature was refused, before its body is examined. */
export interface RefusedSignature extends Omit<RefusedRequest, 'request'> {
  request: Omit<RefusedRequest['request'], 'body'>;
  body: Buffer;
}

/**
 * Buffers refused requests for the doctor and writes them once a second, after their responses. It holds
 * the newest 20 requests of each credential and drops requests of any credential beyond the fiftieth, so
 * that a flood costs a bounded number of writes and bounded CPU time for examining bodies.
 */
export interface RefusedRequestBuffer {
  add(refusal: RefusedSignature): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 1_000;
const maxOfCredential = 20;
const maxCredentials = 50;
/** At most this much of bodies is examined per write; the others are only measured and hashed. */
const maxExaminedBytes = 64 * 1024;

interface BufferedRefusal extends Omit<RefusedSignature, 'body'> {
  /** Null if it is not to be examined, because of `maxExaminedBytes`. */
  body: Buffer | null;
  measured: BodyEvidence;
}

export function createRefusedRequestBuffer({
  models,
  sealer,
  log,
}: Pick<ApiDeps, 'models' | 'sealer' | 'log'>): RefusedRequestBuffer {
  /** By credential, each oldest first. */
  const buffered = new Map<string, BufferedRefusal[]>();
  let examinedBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    await writing;
  };

  async function writeAll(): Promise<void> {
    const batches = [...buffered.values()];
    buffered.clear();
    examinedBytes = 0;
    for (const batch of batches) {
      try {
        const documents = [];
        for (const refusal of batch) {
          // Lets responses go first.
          await turn();
          documents.push(sealRefusedRequest(sealer, examined(refusal)));
        }
        await keepRefusedRequests(models, documents);
      } catch (error) {
        log.warn({ err: error }, 'could not store refused requests');
      }
    }
  }

  return {
    add({ body, ...refusal }) {
      const { credentialId } = refusal;
      const batch = buffered.get(credentialId) ?? [];
      if (batch.length === 0 && buffered.size === maxCredentials) return;
      buffered.set(credentialId, batch);
      if (batch.length === maxOfCredential) examinedBytes -= batch.shift()?.body?.length ?? 0;
      const hasRoom = examinedBytes + body.length <= maxExaminedBytes;
      if (hasRoom) examinedBytes += body.length;
      batch.push({ ...refusal, measured: measureBody(body), body: hasRoom ? body : null });
      timer ??= setTimeout(flush, flushAfterMs);
    },
    flush,
  };
}

function examined({ body, measured, request, ...rest }: BufferedRefusal): RefusedRequest {
  const evidence = body ? examineBody(body) : measured;
  return { ...rest, request: { ...request, body: evidence } };
}
