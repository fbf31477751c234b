import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const step = (summary: string, limits: { heartbeatTimeout?: '1 minute' } = {}) =>
  proxyActivities<Activities>({
    ...limits,
    startToCloseTimeout: '1 hour',
    retry: { initialInterval: '10 seconds', maximumInterval: '10 minutes' },
    summary,
  });

/**
 * Deletes data whose retention is over; started by its schedule.
 * @returns what it deleted, for operators who read the list of workflows
 */
export async function forget(): Promise<string> {
  const addresses = await step(
    'shorten the addresses of requests of more than 30 days ago',
  ).shortenAddresses();
  const contacts = await step('erase contacts whose retention is over').eraseOldContacts();
  const { deleted, undelivered } = await step('delete the webhooks of more than 30 days ago', {
    heartbeatTimeout: '1 minute',
  }).purgeWebhookDeliveries();
  return `${addresses} addresses shortened, ${contacts} contacts erased, ${deleted} webhooks deleted (${undelivered} of them never delivered)`;
}
