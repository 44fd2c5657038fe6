/** `keelson version`: what runs here, and, when asked for, there. */
import { Command } from 'commander';
import { type ClusterFlags, clusterFlags, type OutputFlags, outputFlag } from './flags.ts';
import { ownVersion } from './own-version.ts';
import { json } from './print.ts';
import type { Shell } from './shell.ts';

const examples = `
Examples:
  $ keelson version
  $ keelson version --server --output json`;

interface VersionFlags extends ClusterFlags, OutputFlags {
  readonly server?: boolean;
}

export function versionCommand(shell: Shell): Command {
  const command = new Command('version')
    .description('Print the version of keelson and of Node, and with --server that of the cluster.')
    .option('--server', 'ask the cluster, too');
  return outputFlag(clusterFlags(command))
    .addHelpText('after', examples)
    .action(async ({ server, output, ...choice }: VersionFlags) => {
      const versions = {
        keelson: ownVersion(),
        node: process.version,
        ...(server && { server: await serverVersion(choice, shell) }),
      };
      const lines = Object.entries(versions).map(([name, version]) => `${name.padEnd(7)}  ${version}\n`);
      shell.out(output === 'json' ? json(versions) : lines.join(''));
    });
}

async function serverVersion(choice: ClusterFlags, shell: Shell): Promise<string> {
  const [{ connect, createClient }, { readConfig }, { versionOf }] = await Promise.all([
    import('@keelson/client'),
    import('./chosen-cluster.ts'),
    import('./server-version.ts'),
  ]);
  await using transport = connect(await readConfig(choice, shell), { env: shell.env });
  return (await versionOf(createClient({ transport }))).text;
}
