/**
 * `npm run release`: everything that a release takes but the publishing, on what the changesets of the checkout come to.
 *
 * Packs every package under the new version with its changelog, judges what is in the archives, serves them on this
 * machine and installs and uses them from there. Nothing is published, and the checkout stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { build, dist, outputOf } from '../build.ts';
import { serve } from '../registry.ts';
import { report } from '../results.ts';
import { root } from '../workspace.ts';
import { licenceMistakes, packageMistakes } from './package-mistakes.ts';
import { releasePlan } from './release-plan.ts';
import { tryPackages } from './try-packages.ts';

if (argv.length > 2) {
  console.log(
    'usage: npm run release\n\nTries a release on this machine, and publishes nothing. There are no options.',
  );
  exit(argv.slice(2).every((each) => each === '--help' || each === '-h') ? 0 : 2);
}

let passed = 0;
const failures: string[] = [];
/** What holds, or the sentences that say why not. */
const judge = (what: string, mistakes: readonly string[]): void => {
  console.log(`${mistakes.length === 0 ? 'ok    ' : 'FAILED'}  ${what}`);
  for (const mistake of mistakes) console.log(`        ${mistake}`);
  if (mistakes.length === 0) passed += 1;
  else failures.push(...mistakes);
};

const plan = releasePlan();
console.log(`Trying version ${plan.version}.`);
const packages = build(plan);
if (packages === undefined) throw new Error('The packages could not be built; the compiler said why.');
try {
  await using registry = await serve(packages);
  judge(
    'exports and types of every package (publint)',
    packages.flatMap((pkg) => {
      const { status, stdout, stderr } = spawnSync('publint', ['run', '--strict', '--pack', 'npm', outputOf(pkg)], {
        encoding: 'utf8',
      });
      return status === 0 ? [] : [`${pkg.manifest.name}: ${stdout}${stderr}`];
    }),
  );
  judge(
    `${packages.length} packages with version, licence, provenance, changelog, and no file too many`,
    registry.packed.flatMap(({ name, files }) => {
      const manifest = JSON.parse(readFileSync(join(dist, 'node_modules', name, 'package.json'), 'utf8'));
      return packageMistakes({ manifest, files: files.map(({ path }) => path) }, plan.version);
    }),
  );
  const { failures: broken, dependencies } = await tryPackages(registry, packages);
  judge('they are installed from a registry on this machine, and work', broken);
  judge(`the licences of the ${dependencies.length} packages that come along`, licenceMistakes(dependencies));
} finally {
  rmSync(join(dist, 'node_modules'), { recursive: true, force: true }); // under a version that the checkout does not have
}

const repository = globSync('{packages,operators}/*/package.json', { cwd: root })
  .map(
    (path) => JSON.parse(readFileSync(join(root, path), 'utf8')) as { readonly repository?: { readonly url?: string } },
  )
  .every((manifest) => manifest.repository?.url !== undefined);
if (!repository)
  console.log('To do before publishing: repository.url in each package.json; npm takes no provenance without it.');
report({ command: 'release', passed, failed: failures.length, skipped: 0 });
exit(failures.length === 0 ? 0 : 1);
