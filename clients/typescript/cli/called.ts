/** How this command is called, for its examples: in the service's repository it needs no installing. */
export const called =
  process.env.npm_lifecycle_event === 'partner' ? 'npm run partner --' : 'npx partner-events';
