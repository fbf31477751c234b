/** How to call this command, for the examples: the service's repository has a script for it. */
export const called =
  process.env.npm_lifecycle_event === 'partner' ? 'npm run partner --' : 'node partner-events.mjs';
