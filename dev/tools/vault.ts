import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { userCacheDir } from '../servers/programs.ts';
import { goIn } from './go.ts';
import { installOnce } from './install-once.ts';

const vault = 'github.com/hashicorp/vault';
const version = 'v1.21.0';

/** Vault's repository replaces its modules by its own folders, which Go ignores in a dependency. */
const goMod = `module vault

go 1.26.0

replace ${vault}/sdk => ${vault}/sdk v0.20.0
`;

/**
 * Builds Vault from source, with the engines and sign-ins that are part of it, unless it was built before. The first
 * time takes ten minutes and some gigabytes of Go's cache.
 * @returns the program
 * @throws Error without Go
 */
export async function buildVault(): Promise<string> {
  const folder = pathToFileURL(`${userCacheDir(process.env)}/vault-${version}/`);
  const program = fileURLToPath(new URL('vault', folder));
  await installOnce(folder, goMod, async () => {
    const source = new URL('source/', folder);
    await mkdir(source, { recursive: true });
    await writeFile(new URL('go.mod', source), goMod);
    await goIn(source, ['get', '-tool', `${vault}@${version}`]);
    const build = ['build', '-mod=mod', '-tags', 'minimal', '-o', program, vault];
    await goIn(source, build);
  });
  return program;
}
