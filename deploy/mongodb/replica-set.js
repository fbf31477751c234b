// Run with `mongosh --nodb`, before the other scripts of this folder, which use `primary`. Initiates the replica set if that
// has not been done, and connects as root to its primary. Safe to run again.
const { readFileSync } = require('node:fs');
const secretsFolder = process.env.SECRETS_FOLDER ?? '/run/secrets';
const secret = (name) => readFileSync(`${secretsFolder}/${name}`, 'utf8').trim();
const hosts = process.env.MONGODB_HOSTS;
const [firstHost] = hosts.split(',');
const as = `mongodb://root:${encodeURIComponent(secret('mongodb_root_password'))}`;
const patienceMs = 120_000;

/**
 * Calls it until it does not throw. On the first start, mongod answers before it has its root user. In `try`, mongosh waits
 * for what is assigned, not for what is returned.
 */
function eventually(call) {
  for (const untilMs = Date.now() + patienceMs; ; sleep(500)) {
    try {
      const result = call();
      return result;
    } catch (error) {
      if (Date.now() > untilMs) throw error;
    }
  }
}

/** A member that was added later, or that is down, is not asked. */
function initiate() {
  const first = connect(
    `${as}@${firstHost}/admin?directConnection=true&serverSelectionTimeoutMS=3000`,
  );
  try {
    first.adminCommand({ replSetGetStatus: 1 });
  } catch (error) {
    if (error.codeName !== 'NotYetInitialized') throw error;
    const members = [{ _id: 0, host: firstHost }];
    first.adminCommand({ replSetInitiate: { _id: 'rs0', members } });
  }
}

const toPrimary = () => {
  const set = connect(`${as}@${hosts}/admin?replicaSet=rs0&serverSelectionTimeoutMS=3000`);
  if (!set.hello().isWritablePrimary) throw new Error('The replica set has no primary.');
  return set;
};

const primary = eventually(() => {
  try {
    const set = toPrimary();
    return set;
  } catch (error) {
    initiate();
    throw error;
  }
});

Object.assign(globalThis, { primary, secret, readFileSync });
