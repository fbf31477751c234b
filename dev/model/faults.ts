/** A mistake that can be put into the model, and what it is in words. */
export interface Fault {
  /** As reward.qnt names it. */
  name: string;
  words: string;
  /** A trace in which it does harm: where the search for it begins. */
  seed: number;
}

/** The mistakes that show the model's strength: its invariants catch each of them. */
export const faults: readonly Fault[] = [
  {
    name: 'moveWithoutVersion',
    words: 'a move is written whatever was written since the reward was read',
    seed: 62,
  },
  {
    name: 'answersWithTheStateNow',
    words: 'a refund is answered with the state of the moment, not with that of its own move',
    seed: 67,
  },
  {
    name: 'sameStateUnwritten',
    words: 'a refund that changes nothing is not written on the reward',
    seed: 79,
  },
  {
    name: 'decidesAgain',
    words: 'nobody looks whether the refund was decided before',
    seed: 7,
  },
  {
    name: 'refundUnmarked',
    words: 'a refund is recorded without its mark',
    seed: 4,
  },
  {
    name: 'moveUnmarked',
    words: 'a claim leaves no mark and relies on its signal',
    seed: 315,
  },
  {
    name: 'decisionUnmarked',
    words: "an operator's decision leaves no mark and relies on its signal",
    seed: 3,
  },
  {
    name: 'clearsFirst',
    words: 'the mark goes before the ledger is written',
    seed: 44,
  },
  {
    name: 'clearsWithoutVersion',
    words: 'the mark is taken from whatever version the reward has by now',
    seed: 1,
  },
  {
    name: 'newestMoveOnly',
    words: 'only the newest move is carried out',
    seed: 22,
  },
  {
    name: 'ledgerWithoutReferences',
    words: 'an entry of the ledger is written whether or not its reference is taken',
    seed: 1,
  },
  {
    name: 'releaseLeavesTheDoorOpen',
    words: 'a release that finds no reservation leaves nothing that refuses a later one',
    seed: 12_234,
  },
  {
    name: 'expiresByAnOldTimer',
    words: 'the window ends by the timer, although funding renewed it',
    seed: 6036,
  },
  {
    name: 'claimsTooLate',
    words: 'a claim does not look at the end of the window',
    seed: 180,
  },
];
