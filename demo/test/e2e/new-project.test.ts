/**
 * The pages that begin with nothing, typed as they stand into a terminal in an empty folder.
 *
 * The packages are those of this checkout, built and packed, from a registry on this machine; the others come from where
 * npm always gets them, or from its cache. What the pages show is compared with what is printed.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { availability, kubectlEnvironment } from '@keelson/tools-kubernetes';
import { type Registry, startRegistry } from '../../../tools/repo/src/registry.ts';
import { Terminal } from '../terminal.ts';
import { isAsShown, printedAsShown, stepsOf } from '../transcript.ts';

const found = await availability();
const skip = found.available ? false : `kubectl is needed: ${found.reason}`;
const docs = new URL('../../../docs/', import.meta.url);
const read = (page: string) => readFileSync(new URL(page, docs), 'utf8');
const npm = (...args: readonly string[]) => execFileSync('npm', args, { encoding: 'utf8' }).trim();

describe('from nothing to an operator that runs', { skip }, () => {
  let scratch: string;
  let registry: Registry;
  let env: Readonly<Record<string, string | undefined>>;

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'keelson-tutorial-'));
    registry = await startRegistry();
    env = await environment();
  });
  after(async () => {
    await registry?.[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** That of a person with Node 24 and kubectl, to whom this checkout does not exist. */
  async function environment() {
    const settings = join(scratch, 'npmrc');
    const existing = npm('config', 'get', 'globalconfig');
    const others = existsSync(existing) ? readFileSync(existing, 'utf8') : '';
    writeFileSync(settings, `${others}\n@keelson:registry=${registry.url}\n`);
    // What npx installed in another run is not to be found again; what was downloaded is.
    const cache = join(scratch, 'cache');
    mkdirSync(cache);
    symlinkSync(join(npm('config', 'get', 'cache'), '_cacache'), join(cache, '_cacache'));
    const node = join(scratch, 'bin');
    mkdirSync(node);
    symlinkSync(process.execPath, join(node, 'node'));
    const { PATH = '' } = await kubectlEnvironment(join(scratch, 'none'));
    const path = PATH.split(delimiter).filter((each) => !each.endsWith(join('node_modules', '.bin')));
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_)|NODE_TEST_|INIT_CWD)/.test(name),
    );
    return {
      ...Object.fromEntries(inherited),
      PATH: [node, ...path].join(delimiter),
      KUBECONFIG: undefined,
      npm_config_globalconfig: settings,
      npm_config_cache: cache,
      npm_config_prefer_offline: 'true',
      npm_config_loglevel: 'error',
    };
  }

  /** That which the tutorial makes. */
  const project = () => join(scratch, 'tutorial.md', 'website-operator');

  /** Each line of the page is a test; those after a failure say so. It begins in a new folder, or in `place`. */
  function typed(page: string, place = () => join(scratch, page)): void {
    describe(page, () => {
      let terminal: Terminal;
      let failed: string | undefined;
      before(() => {
        mkdirSync(place(), { recursive: true });
        terminal = new Terminal(place(), env);
      });
      after(() => terminal?.[Symbol.asyncDispose]());
      const steps = stepsOf(read(page));
      assert.ok(steps.length > 0, `${page} has no transcript`);
      for (const step of steps) {
        const { line, command, expected } = step;
        test(`line ${line}: ${command}`, async () => {
          assert.equal(failed, undefined, `not tried, since this failed: ${failed}`);
          failed = command;
          const printed = await printedAsShown(step, () => terminal.type(command, (text) => isAsShown(text, expected)));
          assert.ok(isAsShown(printed, expected), `it printed\n${printed}\nand the page shows\n${expected}`);
          failed = undefined;
        });
      }
    });
  }

  typed('tutorial.md');

  test('what CI runs succeeds in the project of the tutorial as it stands', async () => {
    await using terminal = new Terminal(project(), env);
    const workflow = readFileSync(join(project(), '.github/workflows/ci.yml'), 'utf8');
    const lines = [...workflow.matchAll(/^ +- run: (.*)$/gm)].map(([, line = '']) => line);
    assert.deepEqual(lines, ['npm ci', 'npm run check', 'npm run generate -- --check', 'npm test']);
    for (const line of lines) {
      const printed = await terminal.type(`${line}; echo "exit code $?"`, () => false);
      assert.match(printed, /exit code 0\n$/, printed);
    }
  });

  test('the image of the project has what it needs to run, and nothing else', async () => {
    const folder = project();
    await using terminal = new Terminal(folder, env);
    const run = async (line: string) => terminal.type(line, () => false);
    // As the Dockerfile has it, without Docker: what it copies, and the dependencies of its first stage.
    const image = join(scratch, 'image');
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.match(
      await run(
        `mkdir ${image} && cp -r package.json package-lock.json src ${image}/ && rm ${image}/src/*/*.test.ts && echo copied`,
      ),
      /copied\n$/,
    );
    const install = /^RUN (npm ci .*)$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8'))?.[1] ?? '';
    const help = await run(
      `cd ${image} && ${install} && node src/main.ts --help && ls -a node_modules node_modules/@keelson`,
    );
    assert.match(help, /Usage|Flags|--health-port/);
    assert.ok(!/typescript|testing|\bcli\b/.test(help), help);
    assert.equal(manifest.engines.node, '>=24');
  });

  typed('from-kubebuilder.md', project);
});

test('the tutorial is ten lines at most', () => {
  assert.ok(stepsOf(read('tutorial.md')).length <= 10);
});
