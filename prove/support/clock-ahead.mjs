/** `node --import <this file>`: sets the process's clock a minute ahead. */
const aheadMs = 60_000;
const RealDate = Date;
const now = () => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => (args.length === 0 ? new target(now()) : new target(...args)),
  get: (target, property) => (property === 'now' ? now : target[property]),
});
