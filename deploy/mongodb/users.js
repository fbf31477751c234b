// Run by mongosh as root, on the primary: a role and a user for each process, with what it needs and no more. What is there
// already is brought up to date, so that it may run before each new version; rights.json is made from the code.
const database = db.getSiblingDB('partner_purchase_events');
const rights = JSON.parse(require('node:fs').readFileSync(process.env.MONGODB_RIGHTS, 'utf8'));

const privileges = Object.entries(rights).map(([name, collections]) => [
  name,
  Object.entries(collections).map(([collection, actions]) => ({
    resource: { db: database.getName(), collection },
    actions,
  })),
]);
// It makes collections and indexes, and looks at no document.
const everyCollection = { db: database.getName(), collection: '' };
privileges.push([
  'migrate',
  [{ resource: everyCollection, actions: ['createCollection', 'createIndex', 'collMod'] }],
]);

for (const [name, allowed] of privileges) {
  const pwd = process.env[`MONGODB_${name.toUpperCase()}_PASSWORD`];
  if (!pwd) throw new Error(`There is no password for ${name}.`);
  const role = { privileges: allowed, roles: [] };
  const isRole = database.runCommand({ rolesInfo: name }).roles.length > 0;
  database.runCommand({ [isRole ? 'updateRole' : 'createRole']: name, ...role });
  const isUser = database.runCommand({ usersInfo: name }).users.length > 0;
  database.runCommand({ [isUser ? 'updateUser' : 'createUser']: name, pwd, roles: [name] });
}
