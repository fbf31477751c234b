import { program } from 'commander';

/** What is made from the code, each by a script beside this one. */
const products = {
  docs: 'the tables in docs/ and the MongoDB rights',
  histories: 'the workflow histories that the tests replay',
  screenshots: 'the pictures in docs/screenshots; arguments name the ones to retake',
  client: 'the package of the TypeScript client; arguments are those of npm pack',
  'client-packages': 'the packages of the three clients, as the portal serves them; takes a folder',
  'python-client': 'the synchronous half of the Python client, from the other',
  packages: 'the bill of materials, and hashes that npm left out of the lockfiles',
};

program.name('make').description('Makes anew what is made from the code.');
for (const [what, description] of Object.entries(products)) {
  program.command(what, description, { executableFile: `make-${what}.ts` });
}
await program.parseAsync();
