/** `npm run generate:types`; `usage` says what it does. */
import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { argv, exit } from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { fetchSnapshot, readSnapshot, writeSnapshot } from './documents.ts';
import { documentsFolder, root } from './folders.ts';
import { generatedFrom } from './generated.ts';
import { differences, write } from './output.ts';

const usage = `npm run generate:types [-- --check | --from-server]

Writes packages/core/src/generated and packages/schema/src/generated from the OpenAPI documents in
packages/apiserver/openapi.

  --check        writes nothing; names the files that differ, and exits with 1 if there are any
  --from-server  replaces the documents first, by those of the API server that kubectl reaches. It should be
                 of the pinned version and have nothing added: npm run kube -- up`;

async function main(args: readonly string[]): Promise<number> {
  const options = {
    check: { type: 'boolean' },
    'from-server': { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const { values: flags } = parseArgs({ args: [...args], options });
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  if (flags['from-server']) writeSnapshot(documentsFolder, await fetchSnapshot(kubectlGet));
  const snapshot = readSnapshot(documentsFolder);
  let isDifferent = false;
  for (const [folder, files] of generatedFrom(snapshot)) {
    const differing = differences(folder, files);
    if (!flags.check) write(folder, files, differing);
    for (const path of differing) {
      const done = files.has(path) ? 'wrote' : 'removed';
      console.log(`${flags.check ? 'differs' : done} ${relative(root, join(folder, path))}`);
    }
    if (differing.length > 0) isDifferent = true;
    else console.log(`All ${files.size} files of ${relative(root, folder)} are as they should be.`);
  }
  return flags.check && isDifferent ? 1 : 0;
}

async function kubectlGet(path: string): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  return (await promisify(execFile)('kubectl', ['get', '--raw', path], options)).stdout;
}

try {
  exit(await main(argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  exit(1);
}
