import { notice } from './components.ts';

/** Said where what a form does is only proposed by it. */
export const approvalNotice = notice(
  'info',
  'This needs two operators: you propose it, and another one approves it within a day.',
);
