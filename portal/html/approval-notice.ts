import { say } from '../words/say.ts';
import { notice } from './components.ts';

/** Said where what a form does is only proposed by it. */
export const approvalNotice = () => notice('info', say('approvalNotice.notice'));
