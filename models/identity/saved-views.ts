import { maxSavedViews, type SavedList, type SavedView } from '../../domain/saved-views.ts';
import type { Models } from '../schemas/index.ts';

type Users = Pick<Models, 'users'>;

const pathOf = (list: SavedList): string => `savedViews.${list}`;

/**
 * Keeps a view of a list with its user, in one write: at most `maxSavedViews` of a list, and no two of one name.
 * @returns whether it is kept
 */
export async function addSavedView(
  { users }: Users,
  userId: string,
  list: SavedList,
  view: SavedView,
): Promise<boolean> {
  const path = pathOf(list);
  const { matchedCount } = await users.collection.updateOne(
    {
      _id: userId as never,
      [`${path}.${maxSavedViews - 1}`]: { $exists: false },
      [`${path}.name`]: { $ne: view.name },
    },
    { $push: { [path]: view } as never },
  );
  return matchedCount > 0;
}

/** @returns whether it is called so now: not where another one of the list is, or it is gone */
export async function renameSavedView(
  { users }: Users,
  userId: string,
  list: SavedList,
  id: string,
  name: string,
): Promise<boolean> {
  const path = pathOf(list);
  const { matchedCount } = await users.collection.updateOne(
    {
      _id: userId as never,
      [`${path}.id`]: id,
      [path]: { $not: { $elemMatch: { name, id: { $ne: id } } } },
    },
    { $set: { [`${path}.$[one].name`]: name } },
    { arrayFilters: [{ 'one.id': id }] },
  );
  return matchedCount > 0;
}

export async function deleteSavedView(
  { users }: Users,
  userId: string,
  list: SavedList,
  id: string,
): Promise<void> {
  await users.collection.updateOne(
    { _id: userId as never },
    { $pull: { [pathOf(list)]: { id } } as never },
  );
}
