import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  isOfOperators,
  maxViewNameChars,
  type SavedList,
  type SavedView,
  savedLists,
} from '../../domain/saved-views.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { requireFound } from '../../models/store/require-found.ts';
import { shortText } from '../fields.ts';
import type { FindDeps } from '../operation.ts';

export const listField = Joi.string()
  .valid(...savedLists)
  .required();
export const viewNameField = shortText(maxViewNameChars).required();

/** The user who saves views of a list. @throws ServiceError NOT_FOUND for a list that they cannot see */
export async function findKeeper({ models }: FindDeps, list: SavedList, actorId: string) {
  const user = await findOwnUser(models, actorId);
  if (isOfOperators(list) === (user.operatorId !== null)) return user;
  throw new ServiceError('NOT_FOUND', 'There is no such list.');
}

/** The user who has a saved view. @throws ServiceError NOT_FOUND, also for another user's view */
export async function findKeeperOf(
  deps: FindDeps,
  { list, savedViewId }: { list: SavedList; savedViewId: string },
  actorId: string,
) {
  const user = await findKeeper(deps, list, actorId);
  const own: readonly SavedView[] = user.savedViews?.[list] ?? [];
  const view = own.find(({ id }) => id === savedViewId) ?? null;
  return { user, view: requireFound(view, 'saved view', savedViewId) };
}

export const nameIsTaken = (name: string): ServiceError =>
  new ServiceError('CONFLICT', `Another view of this list is called “${name}”.`);
