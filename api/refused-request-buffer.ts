import { setImmediate as turn } from 'node:timers/promises';
import { type BodyEvidence, examineBody, measureBody } from '../clients/typescript/doctor/index.ts';
import {
  keepRefusedRequests,
  type RefusedRequest,
  sealRefusedRequest,
} from '../models/events/refused-requests.ts';
import type { ApiDeps } from './deps.ts';

/** A request whose signature was refused, before anything was worked out about it. */
export interface RefusedSignature extends Omit<RefusedRequest, 'request'> {
  request: Omit<RefusedRequest['request'], 'body'>;
  body: Buffer;
  /** The credential's active secrets. */
  secrets: readonly string[];
}

/**
 * Where refused requests go for the doctor. They are written behind the answer, once a second. A key
 * with more than can be kept loses the oldest, and keys past the fiftieth of a second leave nothing: a
 * flood costs a bounded number of writes, and of milliseconds for what is worked out about bodies.
 */
export interface RefusedRequestBuffer {
  add(refusal: RefusedSignature): void;
  /** Writes what is buffered. */
  flush(): Promise<void>;
}

const flushAfterMs = 1_000;
const maxOfCredential = 20;
const maxCredentials = 50;
/** So much of bodies is examined each time; what comes after is measured alone. */
const maxExaminedBytes = 64 * 1024;

interface BufferedRefusal extends Omit<RefusedSignature, 'body'> {
  /** Null once it was measured, for want of room. */
  body: Buffer | null;
  measured: BodyEvidence;
}

export function createRefusedRequestBuffer({
  models,
  sealer,
  log,
}: Pick<ApiDeps, 'models' | 'sealer' | 'log'>): RefusedRequestBuffer {
  /** By credential, each oldest first. */
  const waiting = new Map<string, BufferedRefusal[]>();
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
    const batches = [...waiting.values()];
    waiting.clear();
    examinedBytes = 0;
    for (const batch of batches) {
      try {
        const documents = [];
        for (const refusal of batch) {
          // Answers go before what is worked out behind them.
          await turn();
          documents.push(sealRefusedRequest(sealer, examined(refusal)));
        }
        await keepRefusedRequests(models, documents);
      } catch (error) {
        log.warn({ err: error }, 'refused requests were not kept');
      }
    }
  }

  return {
    add({ body, ...refusal }) {
      const { credentialId } = refusal;
      const batch = waiting.get(credentialId) ?? [];
      if (batch.length === 0 && waiting.size === maxCredentials) return;
      waiting.set(credentialId, batch);
      if (batch.length === maxOfCredential) examinedBytes -= batch.shift()?.body?.length ?? 0;
      const hasRoom = examinedBytes + body.length <= maxExaminedBytes;
      if (hasRoom) examinedBytes += body.length;
      batch.push({ ...refusal, measured: measureBody(body), body: hasRoom ? body : null });
      timer ??= setTimeout(flush, flushAfterMs);
    },
    flush,
  };
}

function examined({ body, measured, secrets, request, ...rest }: BufferedRefusal): RefusedRequest {
  const evidence = body ? examineBody(request, body, secrets) : measured;
  return { ...rest, request: { ...request, body: evidence } };
}
