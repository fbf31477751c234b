import { newId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { DataKeyDoc } from '../schemas/customers.ts';
import type { Models } from '../schemas/index.ts';

interface SealingDeps {
  models: Models;
  sealer: Sealer;
  now: () => number;
}

/** The customer whose data it is, as identified in rewards. */
export interface OfCustomer {
  partnerId: string;
  customerId: string;
}

/** A stored text of a customer, sealed. */
export interface SealedText {
  partnerId: string;
  sealed: string;
  /** The context it was sealed with: the id of the document it belongs to. */
  context: string;
}

/**
 * Seals a text that somebody wrote about a customer, and may be in a workflow's history, too, storing its key first,
 * so that nothing is written that cannot be opened. The format is `<data key id>.<sealed text>`.
 */
export async function sealForCustomer(
  { models, sealer, now }: SealingDeps,
  { partnerId, customerId }: OfCustomer,
  text: string,
  context: string,
): Promise<string> {
  const { wrappedKey: wrapped, body } = sealer.sealApart(text, context);
  const _id = newId('dataKey');
  const createdAt = new Date(now());
  await models.dataKeys.create({ _id, partnerId, customerId, wrapped, createdAt, erasedAt: null });
  return `${_id}.${body}`;
}

/** The id of the data key that a text was sealed under. */
function dataKeyIdOf({ sealed }: Pick<SealedText, 'sealed'>): string {
  return sealed.slice(0, sealed.indexOf('.'));
}

/** @returns the text, or null if its key was destroyed because the customer was erased */
export async function openSealed(
  deps: Pick<SealingDeps, 'models' | 'sealer'>,
  text: SealedText,
): Promise<string | null> {
  const [opened = null] = await openAll(deps, [text]);
  return opened;
}

/** Opens several texts, in order, with one read. */
export async function openAll(
  { models, sealer }: Pick<SealingDeps, 'models' | 'sealer'>,
  texts: readonly SealedText[],
): Promise<(string | null)[]> {
  if (texts.length === 0) return [];
  const keys = await models.dataKeys.find({
    partnerId: { $in: texts.map(({ partnerId }) => partnerId) },
    _id: { $in: texts.map(dataKeyIdOf) },
  });
  const keyBy = new Map(keys.map((key) => [key._id, key]));
  return texts.map((text) => openUnder(sealer, keyBy.get(dataKeyIdOf(text)), text));
}

/**
 * @param key the key that the text names; undefined if its document no longer exists
 * @returns the text, or null if its key was destroyed
 */
function openUnder(
  sealer: Sealer,
  key: Pick<DataKeyDoc, '_id' | 'wrapped'> | undefined,
  { sealed, context }: Pick<SealedText, 'sealed' | 'context'>,
): string | null {
  if (!key?.wrapped) return null;
  return sealer.open(`${key.wrapped}.${sealed.slice(key._id.length + 1)}`, context);
}

const keysDestroyedAtOnce = 1_000;

/**
 * Destroys the data keys of a customer, so that what they sealed can no longer be opened, wherever it is
 * stored.
 * @param upTo what was reported after this is kept
 * @param erasedAt now
 */
export async function destroyKeysOf(
  models: Models,
  { partnerId, customerId }: OfCustomer,
  { upTo, erasedAt }: { upTo: Date; erasedAt: Date },
): Promise<void> {
  const there = { partnerId, customerId, createdAt: { $lte: upTo }, wrapped: { $ne: null } };
  for (;;) {
    const keys = await models.dataKeys.find(there, { _id: 1 }).limit(keysDestroyedAtOnce);
    if (keys.length === 0) return;
    await models.dataKeys.updateMany(
      { ...there, _id: { $in: keys.map(({ _id }) => _id) } },
      { $set: { wrapped: null, erasedAt } },
    );
  }
}
