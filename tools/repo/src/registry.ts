/**
 * A registry on this machine with the packages of this checkout, packed as they would be published.
 *
 * For those who try them before they are: `npm run registry`, then `npm config set @keelson:registry URL`. It has the
 * packages of our scope and no others, which npm gets where it always does.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, exit, stdout } from 'node:process';
import { build, dist, outputOf } from './build.ts';
import { type Package, publishedPackages, root } from './workspace.ts';

const usage = `usage: npm run registry

Builds and packs what is published, and serves it to npm on this machine until Ctrl-C; it says how to use it. There are
no options.
`;

/** What `npm pack --json` says of a package. */
interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** The package with its version, such as `@keelson/cli@0.1.0`. */
  readonly packages: readonly string[];
  readonly packed: readonly Packed[];
}

/** Builds if something has changed since the last time, packs and serves. */
export async function startRegistry(): Promise<Registry> {
  const packages = isBuilt() ? publishedPackages() : build();
  if (packages === undefined) throw new Error('The packages could not be built; the compiler said why.');
  return await serve(packages);
}

/** Packs what was built, and serves it. */
export async function serve(packages: readonly Package[]): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-registry-'));
  const packed = pack(packages, folder);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const entry = packed.find(({ name, filename }) => path === name || path === filename);
    if (entry === undefined) response.writeHead(404).end('{}');
    else if (path === entry.filename) response.end(readFileSync(join(folder, entry.filename)));
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(documentOf(entry, url)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    packages: packed.map(({ name, version }) => `${name}@${version}`),
    packed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a registry says of a package that has one version. */
function documentOf({ name, version, filename, integrity }: Packed, url: string): object {
  const manifest = JSON.parse(readFileSync(join(dist, 'node_modules', name, 'package.json'), 'utf8'));
  return {
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball: `${url}${filename}`, integrity } } },
  };
}

function pack(packages: readonly Package[], destination: string): readonly Packed[] {
  const args = ['pack', '--json', '--silent', '--pack-destination', destination, ...packages.map(outputOf)];
  return JSON.parse(
    execFileSync('npm', args, { cwd: dist, encoding: 'utf8', maxBuffer: 2 ** 28 }),
  ) as readonly Packed[];
}

/** Whether the last build is newer than everything that it was made from. */
function isBuilt(): boolean {
  const built = Math.min(...publishedPackages().map((pkg) => changedAt(join(outputOf(pkg), 'package.json'))));
  const sources = globSync(
    ['package.json', 'tsconfig.base.json', '{packages,operators}/*/{package.json,README.md,{src,data,openapi}/**}'],
    { cwd: root },
  );
  return sources.every((path) => changedAt(join(root, path)) < built);
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (import.meta.main) {
  if (argv.length > 2) {
    stdout.write(usage);
    exit(argv.slice(2).every((each) => each === '--help' || each === '-h') ? 0 : 2);
  }
  const registry = await startRegistry();
  stdout.write(`Serving ${registry.packages.join(', ')}.\n\n  npm config set @keelson:registry ${registry.url}\n\n`);
  stdout.write('Ctrl-C ends it; npm config delete @keelson:registry forgets it.\n');
  process.once('SIGINT', () => void registry[Symbol.asyncDispose]().then(() => exit(0)));
}
