/**
 * The shard keys of the collections that grow with the purchases
 * (docs/decisions/026-shard-keys.md). Every unique index except that of `_id` begins with the whole
 * key: where several differ after `partnerId`, that is the key.
 */
export const shardKeys: Record<string, Record<string, 1>> = {
  order_events: { partnerId: 1 },
  rewards: { partnerId: 1 },
  reward_totals: { partnerId: 1 },
  refusal_totals: { partnerId: 1 },
  reward_tallies: { partnerId: 1 },
  reviews: { partnerId: 1 },
  review_notes: { partnerId: 1 },
  ledger_transactions: { partnerId: 1 },
  test_funding_entries: { partnerId: 1 },
  usage_entries: { partnerId: 1 },
  audit_checkpoints: { partnerId: 1 },
  audit_entries: { partnerId: 1 },
  integration_events: { partnerId: 1 },
  rate_limits: { partnerId: 1 },
  data_keys: { partnerId: 1, customerId: 1 },
  refused_requests: { partnerId: 1, credentialId: 1 },
  job_rows: { partnerId: 1, jobId: 1 },
  webhook_deliveries: { partnerId: 1 },
};

/** The collections that grow only with partners and people, and stay on one shard. */
export const unsharded: readonly string[] = [
  ...['partners', 'integrations', 'credentials', 'earning_rules', 'rule_activations'],
  ...['plan_versions', 'subscriptions', 'invoices', 'erasures'],
  ...['operators', 'proposals', 'users', 'invitations', 'sessions', 'access_tokens'],
  ...[
    'sign_in_links',
    'points_links',
    'logos',
    'audit_runs',
    'reconciliation_runs',
    'jobs',
    'leases',
    'alone_sums',
  ],
  ...['mail_counts', 'webhook_endpoints', 'service_accounts', 'watermarks'],
];
