/** The state of reward.qnt, with the fields used outside the model. */
export interface ModelState {
  n: number;
  did: { what: string; who: number; arg: number };
  time: number;
  purchase: ModelEvent;
  events: Record<number, ModelEvent>;
  reward: ModelReward;
  reviews: Record<number, { exists: boolean; marked: boolean; decision: string }>;
  ledger: ModelLedger;
  usage: { refs: string[]; counted: number };
  procs: Record<number, ModelProc>;
  wf: { open: boolean; woken: boolean; awaits: string };
  replies: Record<number, string[]>;
}

export interface ModelEvent {
  exists: boolean;
  marked: boolean;
  answer: string;
}

export interface ModelReward {
  exists: boolean;
  status: string;
  funded: boolean;
  window: number;
  review: number;
  moves: ModelMove[];
  carriedOut: number;
  marked: boolean;
}

export interface ModelLedger {
  refs: string[];
  cash: number;
  funding: number;
  reserved: number;
  payable: number;
  redeemed: number;
  writeOff: number;
  others: number;
  points: number;
}

export interface ModelMove {
  on: string;
  q: number;
  status: string;
  effect: string;
  at: number;
  window: number;
}

/** A running process; `op` is empty for none. */
export interface ModelProc {
  op: string;
  pc: string;
  q: number;
  snap: ModelReward;
  k: number;
  ans: string;
  todo: number[];
  made: Record<number, string>;
  at: number;
}
