/** `keelson init` and `keelson create`: what they write, what they ask, what they refuse. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type Prompts, terminalPrompts } from '../src/ask.ts';
import { createCommand } from '../src/create-command.ts';
import { initCommand } from '../src/init-command.ts';
import { ownVersion } from '../src/own-version.ts';
import { type Answer, runKeelson, testShell } from './test-shell.ts';

const golden = fileURLToPath(new URL('../../../examples/scaffold', import.meta.url));

/** All files below a folder with their texts; `^0.0.0` stands for the version of today. */
function textsIn(folder: string): Readonly<Record<string, string>> {
  const files = globSync('**/{*,.*}', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [
      path.slice(folder.length),
      readFileSync(path, 'utf8').replaceAll(`^${ownVersion()}`, '^0.0.0'),
    ]),
  );
}

describe('keelson init and keelson create', () => {
  let root: string;
  let cwd: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'keelson-scaffold-'));
    chmodSync(root, 0o755); // for the test that is somebody else for a while
  });
  after(() => rm(root, { recursive: true, force: true }));
  beforeEach(({ name }) => {
    cwd = join(root, name.replaceAll(/\W+/g, '-').slice(0, 100));
    mkdirSync(cwd, { recursive: true });
  });
  const keelson = (line: string, folder = cwd): Promise<Answer> => runKeelson(line.split(' '), { cwd: folder });

  /** The project of the examples, in which no test of another matters. */
  function project(): string {
    const folder = join(cwd, 'project');
    cpSync(golden, folder, { recursive: true });
    return folder;
  }

  test('they write what examples/scaffold shows', async () => {
    const { code, out } = await keelson('init scaffold --name website-operator --domain example.com');
    assert.equal(code, 0);
    assert.match(out, /^Made scaffold: 13 files\. Next:\n {2}cd scaffold\n {2}npm install\n/);
    assert.match(out, /not published yet\. Before "npm install", let a clone serve them:\n {2}npm run registry /);
    const folder = join(cwd, 'scaffold');
    const flags = '--group cache --version v1alpha1 --kind Memcached --image memcached:1.6.39-alpine';
    assert.equal((await keelson(`create api ${flags}`, folder)).code, 0);
    assert.deepEqual(textsIn(folder), textsIn(golden));
    assert.deepEqual(readdirSync(cwd), ['scaffold']);
  });

  test('what a project is checked with is what this repository is checked with', () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(golden, 'package.json'), 'utf8'));
    const { devDependencies: ours } = read('../../../package.json');
    assert.equal(devDependencies.typescript, ours.typescript);
    assert.equal(devDependencies['@types/node'], ours['@types/node']);
    assert.equal(dependencies.zod, read('../../schema/package.json').devDependencies.zod);
  });

  test('a folder that is empty but for .git is used, from inside too', async () => {
    mkdirSync(join(cwd, '.git'));
    const { code, out } = await keelson('init --name web-operator');
    assert.equal(code, 0);
    assert.match(out, /^Made the project here: 13 files\. Next:\n {2}npm install\n/);
    assert.match(readFileSync(join(cwd, 'src/operator.ts'), 'utf8'), /export const webOperator = operator/);
  });

  for (const [line, sentence] of [
    [
      'init Web',
      '--name: "Web" is not a lower-case letter, then lower-case letters, digits and dashes, 55 at most, such as website-operator.',
    ],
    ['init web --domain local', '--domain: "local" is no domain name in lower case with a dot, such as example.com.'],
    ['init web --domain k8s.io', '--domain: "k8s.io" belongs to the Kubernetes project: use a domain of your own.'],
    [
      'init web --group Cache',
      '--group: "Cache" is not a lower-case letter, then lower-case letters, digits and dashes, 63 at most, such as cache; with a dot it is the whole group.',
    ],
    [
      'init web --version 1',
      '--version: "1" is not a lower-case letter, then lower-case letters, digits and dashes, 63 at most, such as v1alpha1.',
    ],
    [
      'init web --kind memcached',
      '--kind: "memcached" is not in CamelCase, of letters and digits, 63 at most, such as Memcached.',
    ],
    [
      'init web --kind Deployment',
      '--kind: "Deployment" means something else in the files of a kind: choose another name.',
    ],
    [
      'init web --plural Webs',
      '--plural: "Webs" is not a lower-case letter, then lower-case letters, digits and dashes, 63 at most.',
    ],
  ] as const) {
    test(`keelson ${line} is refused, and nothing is written`, async () => {
      assert.deepEqual(await keelson(line), { code: 2, out: '', err: `keelson init: ${sentence}\n` });
      assert.deepEqual(readdirSync(cwd), []);
    });
  }

  test('an unknown flag is refused, and nothing is written', async () => {
    const { code, err } = await keelson('init web --domian example.com');
    assert.equal(code, 2);
    assert.match(err, /^error: unknown option '--domian'\n\(Did you mean --domain\?\)\n/);
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('a place that cannot be used is named, with what is in the way', async () => {
    mkdirSync(join(cwd, 'full'));
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'package.json']) writeFileSync(join(cwd, 'full', name), 'mine');
    const before = textsIn(cwd);
    assert.deepEqual(await keelson('init full'), {
      code: 1,
      out: '',
      err: `keelson init: ${join(cwd, 'full')} is not empty: it has a, b, c, d, e and 2 more; name a new folder, or empty this one.\n`,
    });
    assert.match((await keelson('init full/a --name a')).err, /full\/a is a file; name a folder\.\n$/);
    assert.match((await keelson('init none/web')).err, /there is no folder \S+none; make it, or name another one\.\n$/);
    assert.deepEqual(textsIn(cwd), before);
  });

  test('without the permission to write, that is what is said, and nothing is left', async () => {
    const { getuid, seteuid } = process;
    assert.ok(getuid && seteuid);
    const isRoot = getuid() === 0; // who is never refused
    const folder = project();
    chmodSync(cwd, 0o555);
    chmodSync(join(folder, 'src/api'), 0o555);
    try {
      if (isRoot) seteuid(65534);
      assert.deepEqual(await keelson('init web'), {
        code: 1,
        out: '',
        err: `keelson init: ${cwd} cannot be written to: permission denied; nothing was written.\n`,
      });
      const { err } = await keelson('create api --kind Page', folder);
      assert.match(err, /project cannot be written to: permission denied; nothing was written\.\n$/);
    } finally {
      if (isRoot) seteuid(0);
      chmodSync(cwd, 0o755);
      chmodSync(join(folder, 'src/api'), 0o755);
    }
    assert.deepEqual(textsIn(folder), textsIn(golden));
    assert.deepEqual(readdirSync(cwd), ['project']);
  });

  test('create changes nothing but the list of controllers, and takes a kind without a controller', async () => {
    const folder = project();
    assert.equal((await keelson('create api --group x.other.org --kind Page --no-controller', folder)).code, 0);
    assert.match(readFileSync(join(folder, 'src/api/page.ts'), 'utf8'), /group: 'x\.other\.org',\n/);
    assert.match(
      readFileSync(join(folder, 'src/operator.ts'), 'utf8'),
      /^export \{ Page \} from '\.\/api\/page\.ts';$/m,
    );
    assert.equal((await keelson('create controller --kind Page', folder)).code, 0);
    assert.equal(
      (await keelson('create api --no-resource --group apps --version v1 --kind StatefulSet', folder)).code,
      0,
    );
    assert.match(
      readFileSync(join(folder, 'src/controllers/stateful-set.ts'), 'utf8'),
      /from '@keelson\/core\/apps\/v1'/,
    );
    const { '/src/operator.ts': operator = '', ...others } = textsIn(folder);
    assert.match(
      operator,
      /controllers: \[websiteController, memcachedController, pageController, statefulSetController\]/,
    );
    for (const [path, text] of Object.entries(textsIn(golden))) {
      if (path !== '/src/operator.ts') assert.equal(others[path], text, path);
    }
  });

  test('create webhook makes the parts that are asked for, and one entry in the list of webhooks', async () => {
    const folder = project();
    const { out } = await keelson('create webhook --kind Memcached', folder);
    assert.equal(out, 'Made src/webhooks/memcached.ts\nMade src/webhooks/memcached.test.ts\nChanged src/operator.ts\n');
    assert.equal((await keelson('create webhook --kind Pod --validation', folder)).code, 0);
    const text = (path: string) => readFileSync(join(folder, path), 'utf8');
    assert.match(text('src/operator.ts'), /^ {2}webhooks: \[memcachedWebhook, podWebhook\],$/m);
    assert.match(text('src/webhooks/memcached.ts'), / {2}default\(.*\n(.*\n)+ {2}validate\(/);
    assert.doesNotMatch(text('src/webhooks/pod.ts'), /default\(/);
    assert.match(text('src/webhooks/pod.ts'), /from '@keelson\/core\/v1';\n/);
    const { '/src/operator.ts': _, ...others } = textsIn(folder);
    for (const [path, before] of Object.entries(textsIn(golden))) {
      if (path !== '/src/operator.ts') assert.equal(others[path], before, path);
    }
  });

  for (const [line, sentence] of [
    [
      'create api --kind Memcached',
      'the kind Memcached exists already, in src/api/memcached.ts; a further version goes into its "versions", a controller comes from "keelson create controller --kind Memcached"; what an interrupted call has left is finished by the same call, with the same flags.',
    ],
    ['create api', '--kind is missing; there is no terminal to ask for it.'],
    [
      'create api --kind page',
      '--kind: "page" is not in CamelCase, of letters and digits, 63 at most, such as Memcached.',
    ],
    [
      'create api --kind Page --no-resource --no-controller',
      'neither the kind nor its controller is to be made; say one.',
    ],
    [
      'create controller --kind Website',
      'src/controllers/website.ts, src/controllers/website.test.ts exist already; nothing was written; remove them and call again to have them made anew.',
    ],
    [
      'create controller --kind Page',
      'neither this project nor Kubernetes has a kind v1 Page; make one with "keelson create api", or say --group and --version of one of Kubernetes.',
    ],
    [
      'create controller --group rbac --kind Role',
      'neither this project nor Kubernetes has a kind rbac/v1 Role; make one with "keelson create api", or say --group and --version of one of Kubernetes.',
    ],
    ['create webhook', '--kind is missing; there is no terminal to ask for it.'],
    [
      'create webhook --kind Page',
      'neither this project nor Kubernetes has a kind v1 Page; make one with "keelson create api", or say --group and --version of one of Kubernetes.',
    ],
  ] as const) {
    test(`keelson ${line} is refused, and nothing is written`, async () => {
      const folder = project();
      const command = line.split(' ').slice(0, 2).join(' ');
      const { code, out, err } = await keelson(line, folder);
      assert.deepEqual({ out, err }, { out: '', err: `keelson ${command}: ${sentence}\n` });
      assert.equal(code, sentence.startsWith('--') || sentence.startsWith('neither the') ? 2 : 1);
      assert.deepEqual(textsIn(folder), textsIn(golden));
    });
  }

  test('create that was killed half-way is finished by the same call, and another one says what is in the way', async () => {
    const folder = project();
    const whole = join(cwd, 'whole');
    cpSync(golden, whole, { recursive: true });
    const line = 'create api --group web --kind Page';
    const { out } = await keelson(line, whole);
    for (const path of ['src/api/page.ts', 'src/controllers/page.ts']) cpSync(join(whole, path), join(folder, path));
    assert.match(
      (await keelson('create api --kind Page', folder)).err,
      /Page exists already, in src\/api\/page\.ts; .*same flags\.\n$/,
    );
    writeFileSync(join(folder, 'src/controllers/page.ts'), 'mine\n');
    assert.equal(
      (await keelson(line, folder)).err,
      'keelson create api: src/controllers/page.ts exists already; nothing was written; remove it and call again to have it made anew.\n',
    );
    rmSync(join(folder, 'src/controllers/page.ts'));
    assert.deepEqual(await keelson(line, folder), { code: 0, out, err: '' });
    assert.deepEqual(textsIn(folder), textsIn(whole));
    assert.match((await keelson(line, folder)).err, /the kind Page exists already/);
  });

  test('where the list is not to be found, nothing is written, and what to add is said; then it works', async () => {
    const folder = project();
    const operator = join(folder, 'src/operator.ts');
    const own = readFileSync(operator, 'utf8').replace(/controllers: .*/, 'controllers: [...all],');
    writeFileSync(operator, own);
    assert.deepEqual(await keelson('create api --kind Page', folder), {
      code: 1,
      out: '',
      err:
        'keelson create api: src/operator.ts has no list "controllers: [ … ]" of names below its imports, so nothing was written; ' +
        "add this by hand and call again: import { pageController } from './controllers/page.ts'; and pageController in the list.\n",
    });
    assert.ok(!existsSync(join(folder, 'src/api/page.ts')));
    const byHand = own.replace('[...all]', '[...all, pageController]');
    writeFileSync(operator, `import { pageController } from './controllers/page.ts';\n${byHand}`);
    assert.equal((await keelson('create api --kind Page', folder)).code, 0);
    assert.equal(readFileSync(operator, 'utf8'), `import { pageController } from './controllers/page.ts';\n${byHand}`);
    assert.ok(existsSync(join(folder, 'src/controllers/page.test.ts')));
  });

  test('a project of another shape is not touched', async () => {
    const folder = project();
    const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
    writeFileSync(join(folder, 'package.json'), manifest.replace('./src/operator.ts', './src/main.ts'));
    assert.match(
      (await keelson('create api --kind Page', folder)).err,
      /only one in src\/operator\.ts can be added to/,
    );
    writeFileSync(join(folder, 'package.json'), manifest);
    writeFileSync(join(folder, 'src/operator.ts'), 'export default {};\n');
    assert.match((await keelson('create api --kind Page', folder)).err, /the operator is not to be found in/);
    rmSync(folder, { recursive: true });
    assert.match((await keelson('create api --kind Page')).err, /no package\.json is in/);
  });

  describe('on a terminal', () => {
    /** A person who has these answers; `undefined` is Ctrl-C. */
    function person(answers: readonly (string | boolean | undefined)[]): Prompts & { readonly asked: string[] } {
      const asked: string[] = [];
      const next = <T>(question: string) => {
        asked.push(question);
        return Promise.resolve(answers[asked.length - 1] as T);
      };
      return { asked, text: next<string | undefined>, yesNo: next<boolean | undefined> };
    }
    async function typed(command: Command, line: string): Promise<void> {
      await new Command('keelson').addCommand(command).exitOverride().parseAsync(line.split(' '), { from: 'user' });
    }

    test('init asks for what no flag says, and for nothing else', async () => {
      const answers = person(['web-operator', 'Site', '']);
      const shell = testShell({ cwd, isInteractive: true });
      await typed(initCommand(shell, answers), 'init web --domain example.org --version v1');
      assert.deepEqual(answers.asked, [
        'What is the operator called?',
        'What is the kind called?',
        'In which group is it? (before .example.org; empty: example.org alone)',
      ]);
      assert.match(readFileSync(join(cwd, 'web/src/api/site.ts'), 'utf8'), /group: 'example\.org',\n {2}kind: 'Site'/);
    });

    test('create api asks separately for the kind and for the controller', async () => {
      const folder = project();
      const answers = person([true, false]);
      const shell = testShell({ cwd: folder, isInteractive: true });
      await typed(createCommand(shell, answers), 'create api --group web --version v1 --kind Page');
      assert.deepEqual(answers.asked, ['Make the kind?', 'Make a controller for it?']);
      assert.ok(existsSync(join(folder, 'src/api/page.ts')));
      assert.ok(!existsSync(join(folder, 'src/controllers/page.ts')));
    });

    test('create api refuses to write over what was saved while it asked', async () => {
      const folder = project();
      const file = join(folder, 'src/operator.ts');
      const mine = `${readFileSync(file, 'utf8')}// mine\n`;
      const answers: Prompts = {
        text: () => Promise.resolve('Page'),
        async yesNo() {
          writeFileSync(file, mine);
          return true;
        },
      };
      const shell = testShell({ cwd: folder, isInteractive: true });
      await assert.rejects(
        typed(createCommand(shell, answers), 'create api --group web --version v1 --kind Page'),
        /^CommandError: src\/operator\.ts was changed by somebody else meanwhile; nothing was written; call again\.$/,
      );
      assert.equal(readFileSync(file, 'utf8'), mine);
      assert.ok(!existsSync(join(folder, 'src/api/page.ts')));
    });

    test('whoever does not want to go on leaves nothing behind', async () => {
      const shell = testShell({ cwd, isInteractive: true });
      await assert.rejects(
        typed(initCommand(shell, person([undefined])), 'init web'),
        /^CommandError: nothing was written\.$/,
      );
      assert.deepEqual(readdirSync(cwd), []);
    });

    test('the terminal itself takes an answer, a return and Ctrl-C, and repeats what is wrong', async () => {
      const ask = async (keys: readonly string[]) => {
        const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
        let shown = '';
        const output = new PassThrough().on('data', (chunk) => {
          shown += String(chunk);
        });
        const problem = (text: string) => (text === 'bad' ? 'this is bad' : undefined);
        const answer = terminalPrompts({ input, output }).text('What?', 'otherwise', problem);
        await import('@clack/prompts');
        for (const key of keys) input.write(key);
        return { answer: await answer, shown };
      };
      assert.equal((await ask(['good', '\r'])).answer, 'good');
      assert.equal((await ask(['\r'])).answer, 'otherwise');
      assert.equal((await ask(['\x03'])).answer, undefined);
      const { answer, shown } = await ask(['bad', '\r', '2', '\r']);
      assert.equal(answer, 'bad2');
      assert.match(shown, /this is bad/);
    });
  });
});
