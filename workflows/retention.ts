import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { shortenAddresses } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
  summary: 'shorten the addresses of requests of more than 30 days ago',
});

/** One round of forgetting, started by the schedule. @returns what it did, for the operator who reads the list */
export async function forgetAddresses(): Promise<string> {
  return `${await shortenAddresses()} addresses shortened`;
}
