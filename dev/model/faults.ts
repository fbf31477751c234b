/** A mistake that can be planted in the model, and its description. */
export interface Fault {
  /** Its name in reward.qnt. */
  name: string;
  words: string;
  /** The seed of a trace in which it does harm, where the search starts. */
  seed: number;
}

/** Mistakes that the model's invariants must catch. */
export const faults: readonly Fault[] = [
  {
    name: 'moveWithoutVersion',
    words: 'a move is written although the reward changed since it was read',
    seed: 62,
  },
  {
    name: 'answersWithTheStateNow',
    words: "a refund is answered with the current state instead of its own move's",
    seed: 67,
  },
  {
    name: 'sameStateUnwritten',
    words: 'a refund that changes nothing is not recorded on the reward',
    seed: 79,
  },
  {
    name: 'decidesAgain',
    words: 'a refund is decided again',
    seed: 7,
  },
  {
    name: 'refundUnmarked',
    words: 'a refund is recorded without being marked pending',
    seed: 4,
  },
  {
    name: 'moveUnmarked',
    words: 'a claim is not marked pending and relies on its signal',
    seed: 315,
  },
  {
    name: 'decisionUnmarked',
    words: "an operator's decision is not marked pending and relies on its signal",
    seed: 3,
  },
  {
    name: 'clearsFirst',
    words: 'the mark is cleared before the ledger is written',
    seed: 44,
  },
  {
    name: 'clearsWithoutVersion',
    words: 'the mark is cleared whatever version the reward has by then',
    seed: 1,
  },
  {
    name: 'newestMoveOnly',
    words: 'only the newest move is carried out',
    seed: 22,
  },
  {
    name: 'ledgerWithoutReferences',
    words: 'a ledger entry is written although its reference is taken',
    seed: 1,
  },
  {
    name: 'releaseLeavesTheDoorOpen',
    words: 'a release without a reservation does not block a later one',
    seed: 12_234,
  },
  {
    name: 'expiresByAnOldTimer',
    words: 'the window ends by its timer although funding extended it',
    seed: 6036,
  },
  {
    name: 'claimsTooLate',
    words: 'a claim ignores the end of the window',
    seed: 180,
  },
];
