import { notice } from './components.ts';

/** For forms that only propose their action. */
export const approvalNotice = () =>
  notice(
    'info',
    'This needs two operators: you propose it, and another one approves it within a day.',
  );
