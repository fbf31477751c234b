import { maxSavedViews, type SavedList, type SavedView } from '../../domain/saved-views.ts';
import type { Models } from '../schemas/index.ts';

type Users = Pick<Models, 'users'>;

const pathOf = (list: SavedList): string => `savedViews.${list}`;

/**
 * Saves a view of a list for a user, in one write: at most `maxSavedViews` per list, and no two
 * with the same name.
 * @returns whether it was saved
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
      _id: userId,
      [`${path}.${maxSavedViews - 1}`]: { $exists: false },
      [`${path}.name`]: { $ne: view.name },
    },
    { $push: { [path]: view } },
  );
  return matchedCount > 0;
}

/**
 * @returns whether it was renamed: not if another view of the list has the name, or it does not
 *   exist
 */
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
      _id: userId,
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
  await users.collection.updateOne({ _id: userId }, { $pull: { [pathOf(list)]: { id } } });
}
