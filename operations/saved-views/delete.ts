import Joi from 'joi';
import type { SavedList } from '../../domain/saved-views.ts';
import { deleteSavedView as remove } from '../../models/identity/saved-views.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { findKeeperOf, listField } from './fields.ts';

/** Deletes one of one's own saved views. */
export const deleteSavedView = operation({
  name: 'own-saved-view.delete',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ list: SavedList; savedViewId: string }>({
    list: listField,
    savedViewId: idField,
  }),
  find: (deps, which, { id }) => findKeeperOf(deps, which, id),
  approval: 'NONE',
  audit: ({ list, savedViewId: targetId }, { user: { partnerId } }) => ({
    partnerId,
    targetId,
    details: { list },
  }),

  async run(
    { models }: Pick<OperationDeps, 'models'>,
    { list },
    { found: { user, view } },
  ): Promise<void> {
    await remove(models, user._id, list, view.id);
  },
});
