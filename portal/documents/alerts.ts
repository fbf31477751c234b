import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** An alert, as whoever is alerted needs it. */
export interface Alert {
  name: string;
  severity: 'page' | 'ticket';
  /** With `…` and `<label>` where an alert that fires has its own. */
  summary: string;
  meaning: string;
  action: string;
  over: string;
}

interface Rule {
  alert?: string;
  labels: { severity: 'page' | 'ticket' };
  annotations: Record<'summary' | 'meaning' | 'action' | 'over', string>;
}

const file = new URL('../../deploy/prometheus/alerts.yml', import.meta.url);

/** The alerts of deploy/prometheus/alerts.yml by their groups, in its order. */
export function readAlerts(): { group: string; alerts: Alert[] }[] {
  const { groups } = parse(readFileSync(file, 'utf8')) as {
    groups: { name: string; rules: Rule[] }[];
  };
  return groups
    .map(({ name: group, rules }) => ({ group, alerts: rules.flatMap(alertOf) }))
    .filter(({ alerts }) => alerts.length > 0);
}

function alertOf({ alert: name, labels, annotations }: Rule): Alert[] {
  if (name === undefined) return [];
  const { summary, meaning, action, over } = annotations;
  const shown = summary.replace(/\{\{ \$(?:value|labels\.(\w+)).*?\}\}/g, (_, label) =>
    label === undefined ? '…' : `<${label}>`,
  );
  return [{ name, severity: labels.severity, summary: shown, meaning, action, over }];
}

/** Where it is among the headings of the page of alerts. */
export const anchorOfAlert = (name: string): string => name.toLowerCase();
