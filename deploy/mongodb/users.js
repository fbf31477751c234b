// Run after replica-set.js, before each new version. Creates or updates a role and a user for each process with only the
// rights that it needs; rights.json is generated from the code. A user's password is the one in its process's address.
//
// While a password is replaced, the process has two users, its name and its name with .2, of which its address names the one to
// keep. MONGODB_DROP=<process> removes the other.
//
// A right that the new version no longer needs stays, because the previous version may still run, or come back. Once it is
// gone for good, MONGODB_REVOKE=on revokes everything that is not in rights.json.
const database = primary.getSiblingDB('partner_events');
const rights = JSON.parse(readFileSync(process.env.MONGODB_RIGHTS, 'utf8'));
const mayRevoke = process.env.MONGODB_REVOKE === 'on';

const wanted = Object.entries(rights);
// `migrate` creates collections and indexes, and reads no documents.
wanted.push(['migrate', { '': ['createCollection', 'createIndex', 'collMod'] }]);

for (const [name, needed] of wanted) {
  // An address of several hosts is no URL.
  const address = secret(`mongodb_uri_${name}`);
  const [, user = '', encoded = ''] = /^mongodb:\/\/([^:]+):([^@]+)@/.exec(address) ?? [];
  const pwd = decodeURIComponent(encoded);
  if (!pwd) throw new Error(`There is no password for ${name}.`);
  const users = [name, `${name}.2`];
  if (!users.includes(user)) throw new Error(`The user of ${name} is ${users.join(' or ')}.`);
  const [role] = database.runCommand({ rolesInfo: name, showPrivileges: true }).roles;
  const collections = new Map(Object.entries(needed));
  for (const { resource, actions } of role?.privileges ?? []) {
    const { collection } = resource;
    const former = actions.filter((action) => !(needed[collection] ?? []).includes(action));
    if (former.length === 0) continue;
    const what = `${name}: ${former.join(', ')} on ${collection || 'every collection'}`;
    print(mayRevoke ? `${what}, revoked` : `${what}, kept for the previous version`);
    if (!mayRevoke) collections.set(collection, [...(needed[collection] ?? []), ...former]);
  }
  const privileges = [...collections].map(([collection, actions]) => ({
    resource: { db: database.getName(), collection },
    actions,
  }));
  database.runCommand({ [role ? 'updateRole' : 'createRole']: name, privileges, roles: [] });
  const exists = (one) => database.runCommand({ usersInfo: one }).users.length > 0;
  database.runCommand({ [exists(user) ? 'updateUser' : 'createUser']: user, pwd, roles: [name] });
  const other = users.find((one) => one !== user);
  if (process.env.MONGODB_DROP === name && exists(other)) database.runCommand({ dropUser: other });
}
