import Joi from 'joi';
import type { SavedList } from '../../domain/saved-views.ts';
import { renameSavedView as rename } from '../../models/identity/saved-views.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { findKeeperOf, listField, nameIsTaken, viewNameField } from './fields.ts';

/** Renames one of one's own saved views. */
export const renameSavedView = operation({
  name: 'own-saved-view.rename',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ list: SavedList; savedViewId: string; name: string }>({
    list: listField,
    savedViewId: idField,
    name: viewNameField,
  }),
  find: (deps, which, { id }) => findKeeperOf(deps, which, id),
  approval: 'NONE',
  audit: ({ list, savedViewId: targetId }, { user: { partnerId } }) => ({
    partnerId,
    targetId,
    details: { list },
  }),

  /** @throws ServiceError CONFLICT if another view of the list has this name */
  async run(
    { models }: Pick<OperationDeps, 'models'>,
    { list, name },
    { found: { user, view } },
  ): Promise<void> {
    if (!(await rename(models, user._id, list, view.id, name))) throw nameIsTaken(name);
  },
});
