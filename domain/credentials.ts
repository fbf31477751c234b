/** So many signing secrets of a key are active at a time: a rotation needs two (contract, Requests). */
export const maxActiveSecrets = 2;
