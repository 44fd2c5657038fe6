/**
 * Operator SDK itself before the bundles of both operators and before broken ones: `operator-sdk bundle validate` with the
 * suite of OperatorHub, and the program that its scorecard runs in pods. They refuse what ours refuse.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { availability, peerProgram } from '@keelson/tools-kubernetes';
import {
  breakBundle,
  brokenBundles,
  type LooseBundle,
  otherBundles,
  wholeBundle,
  writeBundle,
} from '../broken-bundles.ts';

const possible = await availability({ pods: true }); // the scorecard's program wants a root of its own
const scorecard = [
  'basic-check-spec',
  'olm-bundle-validation',
  'olm-crds-have-validation',
  'olm-crds-have-resources',
  'olm-spec-descriptors',
  'olm-status-descriptors',
];

interface Judgement {
  /** The checks that failed, or `all` if the bundle could not be read. */
  readonly failed: readonly string[] | 'all';
  readonly messages: readonly string[];
}

describe('Operator SDK', { skip: !possible.available && possible.reason }, () => {
  let root: string;
  let sdk: string;
  before(async () => {
    sdk = await peerProgram('operator-sdk');
    root = await mkdtemp(join(tmpdir(), 'keelson-operator-sdk-'));
    await copyFile(await peerProgram('scorecard-test'), join(root, 'scorecard-test'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const run = (command: string, ...args: string[]) =>
    new Promise<string>((resolve) => {
      execFile(command, args, (_error, stdout) => resolve(stdout));
    });

  /** `write` puts a bundle where the scorecard's program expects it: at /bundle. */
  async function judged(write: (folder: string) => Promise<void>): Promise<Judgement> {
    const folder = join(root, 'bundle');
    await rm(folder, { recursive: true, force: true });
    await write(folder);
    const flags = ['--select-optional', 'suite=operatorframework', '--output', 'json-alpha1'];
    const text = await run(sdk, 'bundle', 'validate', folder, ...flags);
    if (text === '') return { failed: 'all', messages: [] };
    const { passed, outputs = [] } = JSON.parse(text) as {
      readonly passed: boolean;
      readonly outputs?: readonly { readonly message: string }[];
    };
    const states = await Promise.all(scorecard.map((check) => run('chroot', root, '/scorecard-test', check)));
    if (states.includes('')) return { failed: 'all', messages: [] };
    const unmet = scorecard.filter((_, i) => JSON.parse(states[i] ?? '').results[0].state !== 'pass');
    return {
      failed: [...(passed ? [] : ['bundle validate']), ...unmet],
      messages: outputs.map(({ message }) => message),
    };
  }

  for (const name of ['memcached', 'echo']) {
    test(`takes the bundle of the operator of ${name}`, async () => {
      const folder = fileURLToPath(new URL(`../../../../operators/${name}/bundle`, import.meta.url));
      const { failed, messages } = await judged((to) => cp(folder, to, { recursive: true }));
      assert.deepEqual(failed, []);
      // Rules name no version; ours are for v1. Newer validators do not say this any more.
      assert.deepEqual(
        messages.filter((message) => !/removed in v1\.25\. .*Migrate the API\(s\) for events:/.test(message)),
        [],
      );
    });
  }

  const written = (bundle: LooseBundle) => judged((folder) => writeBundle(folder, bundle));

  test('takes a bundle that is whole', async () => assert.deepEqual((await written(wholeBundle())).failed, []));

  for (const { what, breaks, findings, sdk } of otherBundles) {
    test(`finds ${what}`, async () => {
      const bundle = wholeBundle();
      breaks(bundle);
      assert.deepEqual((await written(bundle)).failed, sdk);
      if (sdk.length > 0)
        assert.ok(
          findings.some((each) => each.startsWith('error')),
          'so do ours',
        );
    });
  }

  /** Of validators that came after this Operator SDK. */
  const newer = ['csv-name-release', 'related-image'];

  for (const each of brokenBundles) {
    const errors = each.findings.filter(([level, rule]) => level === 'error' && !newer.includes(rule));
    test(`${errors.length > 0 ? 'refuses' : 'takes'} ${each.what}`, async () => {
      const { failed } = await written(breakBundle(each));
      assert.equal(failed === 'all' || failed.includes('bundle validate'), errors.length > 0, String(failed));
    });
  }
});
