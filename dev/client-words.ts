/** `RewardClaimed` of `reward.claimed`, and `FirstOrder` of `firstOrder`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The first paragraph of a description, on one line and without links into the reference. */
export const brief = (description: string): string =>
  (description.trim().split('\n\n')[0] ?? '')
    .replaceAll('\n', ' ')
    .replace(/\[([^\]]+)\]\(#[^)]*\)/g, '$1')
    .replace(/:$/, '.');
