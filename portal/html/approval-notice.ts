import { say } from '../words/say.ts';
import { notice } from './components.ts';

/** For forms that only propose their action. */
export const approvalNotice = () => notice('info', say('approvalNotice.notice'));
