import type { PageContext } from '../context.ts';
import { notice } from './components.ts';
import type { Filter } from './filters.ts';
import { type Html, html, nothing } from './html.ts';

type FilterContext = Pick<PageContext, 'path' | 'query' | 'state'>;

/** Filters a list by a partner's name, with suggestions. */
export function partnerFilter({ state }: FilterContext): Filter {
  const { offered = [] } = state.partnerFilter ?? {};
  return {
    name: 'partner',
    label: 'Partner',
    placeholder: 'Name or ID',
    offered: offered.map(({ name }) => name),
  };
}

/** Says that the text matches no partner, or several. Part of the list, which is then empty. */
export function partnerFilterNote({ path, query, state }: FilterContext): Html {
  const { typed, found = [] } = state.partnerFilter ?? {};
  if (typed === undefined || found.length === 1) return nothing;
  if (found.length === 0) return notice('warn', `No partner matches “${typed}”.`);
  const links = found.map(({ _id, name }) => {
    const narrowed = Object.entries({ ...query, partner: _id }).flatMap(([key, value]) =>
      typeof value === 'string' && key !== 'cursor' ? [[key, value] as [string, string]] : [],
    );
    return html` <a href="${path}?${new URLSearchParams(narrowed).toString()}">${name}</a>`;
  });
  return notice('info', html`Several partners match “${typed}”:${links}`);
}
