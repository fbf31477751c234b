import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  maxSavedViews,
  type SavedList,
  type SavedView,
  savedFilters,
} from '../../domain/saved-views.ts';
import { addSavedView } from '../../models/identity/saved-views.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';
import { findKeeper, listField, nameIsTaken, viewNameField } from './fields.ts';

interface SavedViewFields {
  list: SavedList;
  name: string;
  filters: Record<string, string>;
}

/** Saves the filters of a list under a name, for oneself. */
export const createSavedView = operation({
  name: 'own-saved-view.create',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<SavedViewFields>({
    list: listField,
    name: viewNameField,
    filters: Joi.object().pattern(Joi.string(), Joi.string().max(255)).required(),
  }),
  find: (deps, { list }, { id }) => findKeeper(deps, list, id),
  approval: 'NONE',
  audit: ({ list }, { partnerId }) => ({ partnerId, targetId: null, details: { list } }),

  /** @throws ServiceError VALIDATION_FAILED for an unknown filter of the list; CONFLICT */
  async run(
    { models }: Pick<OperationDeps, 'models'>,
    { list, name, filters },
    { found: { _id, savedViews }, idOf },
  ): Promise<SavedView> {
    const known: readonly string[] = savedFilters[list];
    const unknown = Object.keys(filters).filter((one) => !known.includes(one));
    if (unknown.length > 0) {
      throw new ServiceError('VALIDATION_FAILED', `This list has no filter ${unknown.join(', ')}.`);
    }
    const view = { id: idOf('savedView'), name, filters };
    if (await addSavedView(models, _id, list, view)) return view;
    const own: readonly SavedView[] = savedViews?.[list] ?? [];
    if (own.some((one) => one.name === name)) throw nameIsTaken(name);
    throw new ServiceError(
      'CONFLICT',
      `You have ${maxSavedViews} views of this list, the maximum. Delete one first.`,
    );
  },

  completion: ({ id: targetId }) => ({ targetId }),
});
