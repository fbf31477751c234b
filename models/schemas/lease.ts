import { collection, date, listOf, part, type Stored, text, unchecked } from './fields.ts';

/** Work that one process at a time does for all, and which process does it. */
export const leaseSchema = collection('leases', {
  /** What it is for. */
  _id: text,
  holder: text,
  /** By the database's clock. */
  endsAt: date,
  /** The processes that recently wanted it, including the holder. */
  contenders: listOf(
    part({
      holder: unchecked(text),
      askedAt: unchecked(date),
    }),
  ),
});
export type LeaseDoc = Stored<typeof leaseSchema>;
leaseSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });
