import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import file from '../../../clients/conformance/vectors.json' with { type: 'json' };
import {
  answer,
  hangUp,
  purchaseAnswer,
  refuse,
  startServer,
  key as testKey,
  secret as testSecret,
} from '../../clients/typescript/scripted-server.ts';
import { type Service, startService } from '../../helpers/service.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../../clients/quickstarts/', import.meta.url));

/** A command line. */
type Line = readonly [command: string, ...args: string[]];

interface QuickStart {
  program: string;
  /** The command that must be installed. */
  needs: string;
  /** Whether the test fails without it. */
  isRequired: boolean;
  /**
   * A command that prints the signature for each line of a file (secret, method, path, timestamp and the
   * body's file name, separated by tabs), computed by the program's own function.
   */
  signAll(directory: string, requests: string): Promise<Line> | Line;
  run: (...args: string[]) => Line;
}

const path = (name: string): string => join(folder, name);

const quickStarts: Record<string, QuickStart> = {
  'curl and openssl': {
    program: 'purchase.sh',
    needs: 'bash',
    isRequired: true,
    signAll: (_directory, requests) => [
      'bash',
      '-c',
      `source "$1"; while IFS=$'\\t' read -r secret method path time body; do
         sign "$secret" "$method" "$path" "$time" "$body"; echo
       done < "$2"`,
      'bash',
      path('purchase.sh'),
      requests,
    ],
    run: (...args) => [path('purchase.sh'), ...args],
  },
  TypeScript: {
    program: 'purchase.ts',
    needs: process.execPath,
    isRequired: true,
    signAll: (_directory, requests) => [
      process.execPath,
      '--input-type=module',
      '--eval',
      `import { readFileSync } from 'node:fs';
       const { sign } = await import(process.argv[1]);
       for (const line of readFileSync(process.argv[2], 'utf8').trimEnd().split('\\n')) {
         const [secret, method, path, time, body] = line.split('\\t');
         process.stdout.write(sign(secret, method, path, time, readFileSync(body)) + '\\n');
       }`,
      path('purchase.ts'),
      requests,
    ],
    run: (...args) => [process.execPath, path('purchase.ts'), ...args],
  },
  Python: {
    program: 'purchase.py',
    needs: 'python3',
    isRequired: true,
    signAll: (_directory, requests) => [
      'python3',
      '-Bc',
      `import sys
sys.path.insert(0, sys.argv[1])
from purchase import sign
for line in open(sys.argv[2], encoding="utf-8"):
    secret, method, path, time, body = line.rstrip("\\n").split("\\t")
    print(sign(secret, method, path, time, open(body, "rb").read()))`,
      folder,
      requests,
    ],
    run: (...args) => ['python3', '-B', path('purchase.py'), ...args],
  },
  PHP: {
    program: 'purchase.php',
    needs: 'php',
    isRequired: false,
    signAll: (_directory, requests) => [
      'php',
      '-r',
      `require $argv[1];
       foreach (file($argv[2], FILE_IGNORE_NEW_LINES) as $line) {
         [$secret, $method, $path, $time, $body] = explode("\\t", $line);
         echo sign($secret, $method, $path, $time, file_get_contents($body)), "\\n";
       }`,
      path('purchase.php'),
      requests,
    ],
    run: (...args) => ['php', path('purchase.php'), ...args],
  },
  Go: {
    program: 'purchase.go',
    needs: 'go',
    isRequired: false,
    async signAll(directory, requests) {
      // A Go test in the same package can call the function despite the program's own main.
      await copyFile(path('purchase.go'), join(directory, 'purchase.go'));
      await writeFile(join(directory, 'go.mod'), 'module quickstart\n\ngo 1.21\n');
      await writeFile(
        join(directory, 'sign_test.go'),
        `package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestSign(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("REQUESTS"))
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\\n"), "\\n") {
		f := strings.Split(line, "\\t")
		body, _ := os.ReadFile(f[4])
		fmt.Println(sign(f[0], f[1], f[2], f[3], body))
	}
}
`,
      );
      return [
        'sh',
        '-c',
        `cd "$0" && REQUESTS="$1" go test -v . | grep ^sha256=`,
        directory,
        requests,
      ];
    },
    run: (...args) => ['go', 'run', path('purchase.go'), ...args],
  },
  Java: {
    program: 'Purchase.java',
    needs: 'javac',
    isRequired: false,
    async signAll(directory, requests) {
      await writeFile(
        join(directory, 'SignAll.java'),
        `import java.nio.file.*;

public class SignAll {
  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] f = line.split("\\t");
      System.out.println(Purchase.sign(f[0], f[1], f[2], f[3], Files.readAllBytes(Path.of(f[4]))));
    }
  }
}
`,
      );
      const compile = `javac -encoding UTF-8 -d "$0" "$0/SignAll.java" "$1"`;
      const line = `${compile} && java -cp "$0" SignAll "$2"`;
      return ['sh', '-c', line, directory, path('Purchase.java'), requests];
    },
    run: (...args) => ['java', path('Purchase.java'), ...args],
  },
};

function isInstalled({ needs }: QuickStart): boolean {
  try {
    execFileSync('sh', ['-c', `command -v "$0"`, needs], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const installed = Object.entries(quickStarts).filter(([, one]) => isInstalled(one));
let service: Service;
let directory: string;
test.before(async () => {
  service = await startService();
  directory = await mkdtemp(join(tmpdir(), 'quickstarts-'));
});
test.after.always(async () => {
  await service?.stop();
  await rm(directory, { recursive: true, force: true });
});

test('every quick start runs if its language is installed', (t) => {
  const names = (found: typeof installed) => found.map(([language]) => language).join(', ');
  const absent = Object.entries(quickStarts).filter(([, one]) => !isInstalled(one));
  t.log(`tested: ${names(installed)}; not installed: ${names(absent) || 'none'}`);
  t.deepEqual(
    absent.filter(([, { isRequired }]) => isRequired),
    [],
  );
  const programs = Object.values(quickStarts).map(({ program }) => program);
  t.deepEqual(readdirSync(folder).toSorted(), programs.toSorted());
});

// The first compilation with an empty cache is slow.
const patienceMs = 10 * 60_000;
const accepted = answer(201, purchaseAnswer);
const environment = { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };

for (const [language, quickStart] of installed) {
  test.serial(`${language}: the quick start signs the test vectors`, async (t) => {
    t.timeout(patienceMs);
    const own = await mkdtemp(join(directory, 'sign-'));
    const lines = await Promise.all(
      file.vectors.map(async ({ secret, method, pathname, timestamp, body }, index) => {
        const name = join(own, `${index}.body`);
        await writeFile(
          name,
          Buffer.from(body.utf8 ?? body.base64 ?? '', body.base64 ? 'base64' : 'utf8'),
        );
        return [secret, method, pathname, timestamp, name].join('\t');
      }),
    );
    const requests = join(own, 'requests.tsv');
    await writeFile(requests, `${lines.join('\n')}\n`);
    const [command, ...args] = await quickStart.signAll(own, requests);
    const { stdout } = await run(command, args, { env: environment });
    t.deepEqual(
      stdout.trimEnd().split('\n'),
      file.vectors.map(({ signature }) => signature),
    );
  });

  test.serial(
    `${language}: the quick start reports a purchase once, refunds it, and reads the usage`,
    async (t) => {
      t.timeout(patienceMs);
      const { baseUrl: PARTNER_URL, key, secret, partnerId } = await service.partner();
      const env = { ...environment, PARTNER_URL, PARTNER_KEY: key, PARTNER_SECRET: secret };
      const answerOf = async (...args: string[]) => {
        const [command, ...line] = quickStart.run(...args);
        return (await run(command, line, { env })).stdout;
      };
      const first = await answerOf('purchase', 'order-1');
      t.like(JSON.parse(first), { success: true, mode: 'TEST', externalOrderId: 'order-1' });
      t.is(await answerOf('purchase', 'order-1'), first);
      t.is(await service.models.orderEvents.countDocuments({ partnerId }), 1);
      t.is(JSON.parse(await answerOf('refund', 'order-1')).refund.status, 'CANCELLED');
      t.true(JSON.parse(await answerOf('usage')).success);
      const [command, ...line] = quickStart.run('purchase', 'order-1');
      const wrong = { ...env, PARTNER_SECRET: `${secret}x` };
      const refused = await t.throwsAsync(run(command, line, { env: wrong }));
      t.regex(String((refused as { stdout?: string }).stdout), /INVALID_SIGNATURE/);
      const [, ...bare] = quickStart.run();
      const asked = await t.throwsAsync(run(command, bare, { env }));
      t.regex(
        String((asked as { stderr?: string }).stderr),
        /sage: purchase <order> \| part <order> \| refund <order> \| usage/,
      );
    },
  );
}

test.serial(
  'every quick start retries after an outage and a 503, with the same key and bytes',
  async (t) => {
    t.timeout(patienceMs);
    await Promise.all(
      installed.map(async ([language, quickStart]) => {
        const away = refuse(503, 'UNAVAILABLE', { 'Retry-After': '1' });
        const { baseUrl: PARTNER_URL, seen } = await startServer(t, away, hangUp, accepted);
        const env = {
          ...environment,
          PARTNER_URL,
          PARTNER_KEY: testKey,
          PARTNER_SECRET: testSecret,
        };
        const [command, ...line] = quickStart.run('purchase', 'order-1');
        const { stdout } = await run(command, line, { env });
        t.true(JSON.parse(stdout).success, language);
        t.is(seen.length, 3, language);
        t.true(
          seen.every(({ isSignatureValid }) => isSignatureValid),
          language,
        );
        t.is(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1, language);
        t.is(new Set(seen.map(({ body }) => body.toString('hex'))).size, 1, language);
      }),
    );
  },
);
