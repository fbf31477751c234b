import { MalformedDelivery, type Translation } from '../domain/connections.ts';
import { ServiceError } from '../domain/errors.ts';
import {
  AskError,
  type AskShop,
  askAgainAt,
  maxFindings,
  type RepairFinding,
  type RepairRun,
  slicesOf,
  translateAsked,
} from '../domain/shop-repair.ts';
import { termsOfPartner } from '../events/partner-terms.ts';
import { findPurchaseOfOrder } from '../models/events/order-events.ts';
import { readKeyContext } from '../models/identity/connections.ts';
import type { ConnectionDoc } from '../models/schemas/connections.ts';
import { newId } from '../platform/ids.ts';
import { type ConnectDeps, type Connected, type Outcome, reportDelivery } from './report.ts';

export interface RepairDeps extends ConnectDeps {
  askShop: AskShop;
  now: () => number;
}

/** One run of one connection ends after this time, and goes on where it stopped the next time. */
const longestRunMs = 10 * 60_000;

/** As a request, for the log: nobody sent one. */
const request = { method: 'GET', path: '/connect/:connectionId', status: 200 };

/**
 * Asks a connection's shop what was bought and refunded in the last days, reports what no delivery had reported as
 * that delivery would have, and stores what it found on the connection. Safe to repeat and to end at any place.
 * @param tell called after each page; throws to end the run
 * @returns null if there is nothing to ask
 */
export async function repairConnection(
  deps: RepairDeps,
  connection: ConnectionDoc,
  tell: () => void = () => undefined,
): Promise<RepairRun | null> {
  const { models, sealer, now } = deps;
  const { _id: connectionId, partnerId, platform, shop, mode, earns, readKey } = connection;
  if (!readKey || connection.pausedAt !== null || connection.endedAt !== null) return null;
  const terms = await termsOfPartner(deps, connection);
  const startedAt = new Date(now());
  const countsFrom = connection.resumedAt ?? connection.createdAt;
  const slices = slicesOf({ countsFrom, askedUpTo: connection.askedUpTo ?? null }, startedAt);
  const run: RepairRun = {
    startedAt,
    endedAt: startedAt,
    since: slices[0]?.from ?? startedAt,
    asked: 0,
    missing: 0,
    reported: 0,
    findings: [],
    problem: null,
  };
  const from: Connected = {
    ...terms,
    connectionId,
    platform,
    earns,
    mayBuy: terms.partnerStatus === 'ACTIVE',
  };
  const asked = {
    platform,
    shop,
    mode,
    readKey: sealer.open(readKey.sealed, readKeyContext(connectionId)),
  };
  let { askedUpTo } = connection;
  try {
    if (mode === 'LIVE' && !terms.live) throw new AskError('NOT_LIVE');
    for (const slice of slices) {
      for await (const page of deps.askShop(asked, slice)) {
        for (const fields of page) {
          run.asked += 1;
          const outcomes = await reported(fields);
          count(run, outcomes);
        }
        tell();
        if (now() - startedAt.getTime() > longestRunMs) throw new AskError('OUT_OF_TIME');
      }
      askedUpTo = slice.to;
    }
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    run.problem = { code: error.problem, status: error.status };
  }
  run.endedAt = new Date(now());
  await models.connections.updateOne(
    // Another key may have been saved meanwhile, which is due at once.
    { partnerId, _id: connectionId, 'readKey.sealed': readKey.sealed },
    { $set: { repair: run, askedUpTo, askAt: askAgainAt(run) } },
  );
  return run;

  async function reported(fields: Parameters<typeof translateAsked>[1]): Promise<Found[]> {
    let translation: Translation;
    try {
      translation = translateAsked(platform, fields, { earns, mode });
    } catch (error) {
      if (!(error instanceof MalformedDelivery)) throw error;
      return [{ type: 'PURCHASE', externalOrderId: null, why: error.message }];
    }
    if (await isOfBefore(translation)) return [];
    const arrival = { requestId: newId('request'), receivedAt: new Date(now()), request };
    try {
      return await reportDelivery(deps, from, arrival, translation);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { externalOrderId } = translation;
      return [{ type: 'PURCHASE', externalOrderId, why: error.message }];
    }
  }

  /** Whether an order was bought before the connection counts, and is not known for another reason. */
  async function isOfBefore(translation: Translation): Promise<boolean> {
    if (translation.kind === 'NOTHING') return false;
    const { purchase, externalOrderId } = translation;
    if (purchase === null || typeof purchase === 'string') return false;
    const boughtMs = Date.parse(purchase.occurredAt ?? startedAt.toISOString());
    if (boughtMs >= countsFrom.getTime()) return false;
    const { integrationId } = connection;
    const order = { partnerId, mode, integrationId, externalOrderId };
    return (await findPurchaseOfOrder(models, order)) === null;
  }
}

/** The outcome of one of the asked things, or why it could not be reported. */
type Found = Outcome | { type: Outcome['type']; externalOrderId: string | null; why: string };

function count(run: RepairRun, found: readonly Found[]): void {
  for (const one of found) {
    const { type, externalOrderId } = one;
    if ('result' in one && one.result !== 'ACCEPTED') continue;
    const finding: RepairFinding =
      'result' in one
        ? { type, externalOrderId, eventId: one.eventId, why: null }
        : { type, externalOrderId, eventId: null, why: one.why };
    run.missing += 1;
    if (finding.why === null) run.reported += 1;
    if (run.findings.length < maxFindings) run.findings.push(finding);
  }
}
