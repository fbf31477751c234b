import type { Messenger } from '../../temporal/messenger.ts';

/** A messenger that sends nothing. */
export const silentMessenger: Messenger = {
  startPurchase: async () => undefined,
  startJob: async () => undefined,
  startPointsLink: async () => undefined,
  startPointsEnd: async () => undefined,
  startSendAgain: async () => undefined,
};
