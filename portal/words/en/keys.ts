/** API keys, integrations and service accounts. */
export const keys = {
  'serviceAccounts.serviceAccounts': 'Service accounts',
  'serviceAccounts.scope.logRequests': 'The log of requests',
  'serviceAccounts.scope.rewardsCustomers': 'Rewards, with their customers’ ids',
  'serviceAccounts.newServiceAccount': 'New service account',
  'serviceAccounts.title': 'Service accounts',
  'serviceAccounts.lead':
    'For your programs that only read: a dashboard, a monitor, a nightly export. They belong to your company and keep working when the person who created them leaves.',
  'serviceAccounts.caption': 'Service accounts',
  'serviceAccounts.reads': 'Reads',
  'serviceAccounts.expires': 'Expires',
  'serviceAccounts.empty.title': 'No {mode} service account',
  'serviceAccounts.empty.text':
    'A person’s access token ends when they leave. A program that must keep running needs a service account.',
  'serviceAccounts.newServiceAccount.title': 'New service account',
  'serviceAccounts.newServiceAccount.lead':
    'The next page shows its token once. It can read but change nothing. Up to {maxServiceAccounts} work at a time.',
  'serviceAccounts.newServiceAccount.submit': 'Create the service account',
  'serviceAccounts.name.hint': 'The program that will have it.',
  'serviceAccounts.newServiceAccount.reads': 'It reads',
  'serviceAccounts.days': 'Valid for',
  'serviceAccounts.newServiceAccount.text': 'As long as it is not revoked',
  'serviceAccounts.newServiceAccount.days': '{value} days',
  'serviceAccounts.rotateTheToken': 'Rotate the token',
  'serviceAccounts.serviceAccount.notice':
    'This service account has ended and can no longer read anything.',
  'serviceAccounts.section.serviceAccount': 'Service account',
  'serviceAccounts.revoked': 'Revoked',
  'serviceAccounts.section.tokens': 'Tokens',
  'serviceAccounts.serviceAccount.caption': 'Tokens',
  'serviceAccounts.worksUntil': 'Works until',
  'serviceAccounts.serviceAccount.revoked': 'revoked',
  'serviceAccounts.section.useIt': 'Use it',
  'serviceAccounts.inAShell': 'In a shell',
  'serviceAccounts.section.revoke': 'Revoke',
  'serviceAccounts.serviceAccount.text':
    'Ends the account and its tokens at once. This cannot be undone.',
  'serviceAccounts.serviceAccount.submit': 'Revoke the service account',
  'serviceAccounts.serviceAccount.ask': 'Revoke …',
  'serviceAccounts.serviceAccount.question': 'The program that uses its token loses access.',
  'serviceAccounts.rotateServiceAccount.title': 'Rotate the token',
  'serviceAccounts.rotateServiceAccount.nextPage':
    'The next page shows a new token once. The current one works for another day, so your program can switch without an outage; older ones stop at once.',
  'serviceAccounts.rotateServiceAccount.lastUsed':
    'Last used: {lastUse}. If a token has leaked, revoke the account instead.',
  'serviceAccounts.rotateServiceAccount.submit': 'Create a new token',
  'serviceAccounts.revoke.done': 'The service account is revoked.',
} as const;
