import type { DataKey } from '../../domain/data-key.ts';
import { newId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { DataKeyDoc } from '../schemas/data-key.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import { insertMissing } from './insert-once.ts';

interface SealingDeps {
  models: Models;
  sealer: Sealer;
  now: () => number;
}

/** Whose data it is, as rewards say it. */
export interface OfCustomer {
  partnerId: string;
  customerId: string;
}

/** A text that was sealed for a customer, as it is stored. */
export interface SealedText {
  partnerId: string;
  sealed: string;
  /** What it was sealed with: the id of what it belongs to. */
  context: string;
}

/**
 * Seals what is a customer's, under a data key of its own. Its form is `<data key id>.<sealed text>`.
 * @returns the text, and the key, which the caller puts with the customer's others
 */
export function sealUnderNewKey(
  sealer: Sealer,
  text: string,
  context: string,
): { sealed: string; dataKey: DataKey } {
  const { wrappedKey: wrapped, body } = sealer.sealApart(text, context);
  const dataKeyId = newId('dataKey');
  return { sealed: `${dataKeyId}.${body}`, dataKey: { dataKeyId, wrapped } };
}

/** Seals what is a customer's, and stores its key first: nothing is written that could not be opened. */
export async function sealForCustomer(
  { models, sealer, now }: SealingDeps,
  customer: OfCustomer,
  text: string,
  context: string,
): Promise<string> {
  const { sealed, dataKey } = sealUnderNewKey(sealer, text, context);
  await models.dataKeys.create(keyDocOf(dataKey, customer, new Date(now())));
  return sealed;
}

/** The place of a data key among those of its customer. */
export function keyDocOf(
  { dataKeyId, wrapped }: DataKey,
  { partnerId, customerId }: OfCustomer,
  createdAt: Date,
): DataKeyDoc {
  return { _id: dataKeyId, partnerId, customerId, wrapped, createdAt, erasedAt: null };
}

/** The id of the data key that a text of a customer was sealed under. */
export function dataKeyIdOf({ sealed }: Pick<SealedText, 'sealed'>): string {
  return sealed.slice(0, sealed.indexOf('.'));
}

/** @returns what was sealed, or null where its key is destroyed: the customer was erased */
export async function openSealed(
  deps: Pick<SealingDeps, 'models' | 'sealer'>,
  text: SealedText,
): Promise<string | null> {
  const [opened = null] = await openAll(deps, [text]);
  return opened;
}

/** The same for what an event has sealed: as long as its workflow has not begun, a purchase carries its key. */
export async function openEvent(
  deps: Pick<SealingDeps, 'models' | 'sealer'>,
  { _id: context, partnerId, sealed, dataKey }: OrderEventDoc,
): Promise<string | null> {
  if (!dataKey) return await openSealed(deps, { partnerId, sealed, context });
  const { dataKeyId: _id, wrapped } = dataKey;
  return openUnder(deps.sealer, { _id, wrapped }, { sealed, context });
}

/** The same for several texts, in their order, with one read. */
export async function openAll(
  { models, sealer }: Pick<SealingDeps, 'models' | 'sealer'>,
  texts: readonly SealedText[],
): Promise<(string | null)[]> {
  if (texts.length === 0) return [];
  const keys = await models.dataKeys
    .find({
      partnerId: { $in: texts.map(({ partnerId }) => partnerId) },
      _id: { $in: texts.map(dataKeyIdOf) },
    })
    .lean();
  const keyBy = new Map(keys.map((key) => [key._id, key]));
  return texts.map((text) => openUnder(sealer, keyBy.get(dataKeyIdOf(text)), text));
}

/**
 * @param key the one that the text names; one that is not there any more was destroyed long ago
 * @returns what was sealed, or null where its key is destroyed
 */
export function openUnder(
  sealer: Sealer,
  key: Pick<DataKeyDoc, '_id' | 'wrapped'> | undefined,
  { sealed, context }: Pick<SealedText, 'sealed' | 'context'>,
): string | null {
  if (!key?.wrapped) return null;
  return sealer.open(`${key.wrapped}.${sealed.slice(key._id.length + 1)}`, context);
}

/** Which of some data keys are there, and open something. */
export async function keysThatOpen(
  models: Models,
  dataKeyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await models.dataKeys
    .find({ _id: { $in: dataKeyIds }, wrapped: { $ne: null } }, { _id: 1 })
    .lean();
  return new Set(found.map(({ _id }) => _id));
}

/** Whether any data key was destroyed since. One key of an index. */
export async function erasedSince(models: Models, since: Date): Promise<boolean> {
  return (await models.dataKeys.exists({ erasedAt: { $gte: since } })) !== null;
}

/**
 * Destroys the data keys of a customer: what they sealed opens no more, wherever it stands. An event
 * that its workflow has not taken up still carries its key; its place is taken first, so that a first step
 * which has read the key already finds that it came too late.
 * @param upTo what was reported after this stays
 * @param erasedAt now
 */
export async function destroyKeysOf(
  models: Models,
  customer: OfCustomer,
  { upTo, erasedAt }: { upTo: Date; erasedAt: Date },
): Promise<void> {
  const { partnerId, customerId } = customer;
  const unbegun = await models.orderEvents
    .find(
      {
        partnerId,
        pendingSince: { $exists: true },
        $or: [{ 'purchase.customerId': customerId }, { customerId }],
        receivedAt: { $lte: upTo },
      },
      { dataKey: 1, receivedAt: 1 },
    )
    .hint('awaits_workflow')
    .lean();
  await insertMissing(
    models.dataKeys,
    unbegun.flatMap(({ dataKey, receivedAt }) =>
      dataKey ? [{ ...keyDocOf(dataKey, customer, receivedAt), wrapped: null, erasedAt }] : [],
    ),
  );
  await models.orderEvents.updateMany(
    { partnerId, _id: { $in: unbegun.map(({ _id }) => _id) } },
    { $unset: { dataKey: '' } },
  );
  await models.dataKeys.updateMany(
    { partnerId, customerId, createdAt: { $lte: upTo }, wrapped: { $ne: null } },
    { $set: { wrapped: null, erasedAt } },
  );
}
