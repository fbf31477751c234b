import { assertNever } from '../../domain/assert-never.ts';
import type { EvidenceName, EvidenceNames } from '../../views/go-live.ts';
import { platformNames } from '../words/connection-words.ts';
import { earnsWords } from '../words/rule-words.ts';
import { wordsOf } from './components.ts';
import { type Html, moneyText, pointsWords } from './format.ts';
import { idLink } from './links.ts';
import { shortKey } from './tables.ts';

/** A link to a piece of evidence under a name that its owner recognizes; under its id if it has no name. */
export function evidenceLink(id: string, names: EvidenceNames, currency: string): Html {
  const name = names.get(id);
  return idLink(id, name && wordsOfEvidence(name, currency));
}

/** What a piece of evidence is, as `Purchase of order 1001`. */
export function wordsOfEvidence(name: EvidenceName, currency: string): string {
  switch (name.kind) {
    case 'INTEGRATION':
      return name.name;
    case 'KEY':
      return shortKey(name.apiKey);
    case 'CONNECTION':
      return `${platformNames[name.platform]} shop`;
    case 'RULE':
      return earnsWords(name.rule);
    case 'EVENT':
      return `${wordsOf(name.type)} of order ${name.externalOrderId}`;
    case 'REWARD':
      return `Reward of ${pointsWords(name.points)} for order ${name.externalOrderId}`;
    case 'TOP_UP':
      return `Top-up of ${moneyText(name.cents, currency)}`;
    default:
      return assertNever(name, 'evidence');
  }
}
