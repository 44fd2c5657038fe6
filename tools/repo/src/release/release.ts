/**
 * `npm run release`: everything that a release takes but the publishing, on what the changesets of the checkout come to.
 *
 * Packs every package under the new version with its changelog, judges what is in the archives, serves them on this
 * machine and installs and uses them from there. Nothing is published, and the checkout stays as it is.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { parseArgs } from 'node:util';
import { build, dist, outputOf } from '../build.ts';
import { serve } from '../registry.ts';
import { report } from '../results.ts';
import { licenceMistakes, packageMistakes, repositoryMistakes } from './package-mistakes.ts';
import { releasePlan } from './release-plan.ts';
import { tryPackages } from './try-packages.ts';

const usage = `usage: npm run release -- [--repository URL]

Tries a release on this machine, and publishes nothing.

  --repository URL  the public repository that the release is built in; it goes into every package, since npm takes no
                    provenance without it
`;
const { repository, help } = readFlags();
if (help) {
  console.log(usage);
  exit(0);
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

const plan = { ...releasePlan(), repository };
console.log(`Trying version ${plan.version}.`);
const packages = build(plan);
if (packages === undefined) throw new Error('The packages could not be built; the compiler said why.');
try {
  await using registry = await serve(packages);
  const names = packages.map(({ manifest }) => manifest.name);
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
      return packageMistakes({ manifest, files: files.map(({ path }) => path) }, { ...plan, names });
    }),
  );
  judge('provenance can be checked', repositoryMistakes(repository));
  const { failures: broken, dependencies } = await tryPackages(registry, packages);
  judge('they are installed from a registry on this machine, and work', broken);
  // None came along where nothing could be installed.
  if (dependencies.length > 0)
    judge(`the licences of the ${dependencies.length} packages that come along`, licenceMistakes(dependencies));
} finally {
  rmSync(join(dist, 'node_modules'), { recursive: true, force: true }); // under a version that the checkout does not have
}

report({ command: 'release', passed, failed: failures.length, skipped: 0 });
exit(failures.length === 0 ? 0 : 1);

/** What was given; what cannot be understood ends the process with the usage. */
function readFlags(): { readonly repository?: string | undefined; readonly help?: boolean | undefined } {
  try {
    const options = { repository: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: argv.slice(2), options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    exit(2);
  }
}
