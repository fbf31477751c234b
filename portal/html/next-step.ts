import { goLiveChecklist } from '../../domain/go-live.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { SetUpProgress } from '../../models/views/go-live.ts';
import type { PartnerViewer } from '../context.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { remedyOf } from '../words/go-live-words.ts';
import { wordsOfStep } from '../words/set-up-words.ts';
import { linkButton } from './components.ts';
import { type Html, html, nothing, type Part } from './html.ts';
import { missingList } from './missing-list.ts';

/** The partner's next step. */
export interface NextStep {
  title: string;
  text: Part;
  path: string;
  button: string;
  permission: PartnerPermission;
  /** The remaining conditions, if go-live is next. */
  missing: Html;
}

/** @returns null if everything is done, or someone else has to act */
export function nextStepOf(
  partner: PartnerDoc,
  { setUp: { next }, facts }: SetUpProgress,
): NextStep | null {
  if (next === null) return null;
  const { title, text, path, button, permission } = wordsOfStep(next.step);
  const isReturned = partner.goLive.state === 'CHANGES_REQUESTED' && next.step === 'GO_LIVE';
  const common = {
    permission,
    text: isReturned
      ? html`The reviewer has requested changes: <a href="/go-live">read the notes</a>.`
      : text,
  };
  const { requirement } = next;
  if (requirement === null) return { ...common, title, path, button, missing: nothing };
  const remedy = remedyOf(requirement);
  if (requirement === 'APPROVAL') {
    return { ...common, title, path: remedy.path, button: remedy.button, missing: nothing };
  }
  const [onlyRule, ...otherRules] = facts.testRuleIds;
  const isOneRule = requirement === 'EARNING_RULE' && onlyRule && otherRules.length === 0;
  return {
    ...common,
    title: `${title}: ${remedy.title.toLowerCase().replaceAll('live', 'LIVE')}`,
    path: isOneRule ? `/rules/test/${onlyRule}/promote` : remedy.path,
    button: remedy.button,
    missing: missingList(goLiveChecklist(facts.goLive), partner, facts.goLive.funding),
  };
}

/** The number of required steps that are done, as a sentence. */
export function doneWords({ setUp: { items } }: SetUpProgress): {
  done: number;
  needed: number;
  words: string;
} {
  const all = items.filter(({ step }) => step !== 'TEST_FUNDING');
  const done = all.filter(({ state }) => state === 'DONE').length;
  return {
    done,
    needed: all.length,
    words: `${done} of ${all.length} steps done`,
  };
}

/**
 * The next step, shown on the page where the previous one was completed.
 * @param here the current page, which is never linked to itself
 */
export function nextBar(viewer: PartnerViewer, progress: SetUpProgress, here: string): Html {
  const next = nextStepOf(viewer.partner, progress);
  if (next === null || next.path === here || !hasPermission(viewer, next.permission)) {
    return nothing;
  }
  return html`<section class="card next next-bar" aria-labelledby="next-step"><div><p class="next-label">Next</p>
<h2 id="next-step">${next.title}</h2><p class="muted"><a href="/home">${doneWords(progress).words}</a></p></div>
${linkButton(next.path, next.button)}</section>`;
}
