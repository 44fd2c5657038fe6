/**
 * What a cluster could leave behind on a machine, as lines that can be compared.
 *
 * Other clusters may run at the same time; what is on record as theirs is left out.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findCluster } from '../../src/cluster-directory/record.ts';
import { clustersDirectory } from '../../src/machine/directories.ts';
import { hierarchies } from '../../src/node/cgroups.ts';
import { recordedProcesses } from '../../src/processes/ledger.ts';
import { succeed } from '../../src/processes/run.ts';
import { packages } from './packages.ts';

const settings = [
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/route_localnet',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];
/** Where containerd, kubelet and CNI write by themselves. */
const directories = ['/etc', '/opt', '/run', '/usr/libexec', '/var/lib', '/var/log'];

export type MachineState = Readonly<Record<string, readonly string[]>>;

/** One aspect after the other, so that a difference is short. */
export async function assertUnchanged(before: MachineState): Promise<void> {
  for (const [aspect, lines] of Object.entries(await machineState())) assert.deepEqual(lines, before[aspect], aspect);
}

export async function machineState(): Promise<MachineState> {
  const { env } = await packages();
  const others = otherClusters();
  const own = (line: string) => !others.some((mark) => line.includes(mark));
  const lines = async (...command: [string, ...string[]]) =>
    (await succeed(command, { env })).split('\n').filter(Boolean);
  return {
    processes: processesOfClusters().filter(own),
    mounts: readFileSync('/proc/self/mounts', 'utf8').split('\n'),
    links: (await lines('ip', '-o', 'link')).filter(own).map((line) => line.replace(/ (state|qlen|mode) \S+/g, '')),
    namespaces: await lines('ip', 'netns'),
    rules: (await lines('iptables-save')).filter((line) => !line.startsWith('#')),
    cgroups: hierarchies(readFileSync('/proc/self/mounts', 'utf8')).flatMap(topGroups).filter(own),
    settings: settings.map((name) => `${name} ${readSetting(name)}`),
    directories: directories.flatMap((directory) => entries(directory).map((name) => join(directory, name))),
    clusters: entries(clustersDirectory(process.env)).filter((name) => !isAnothers(name)),
  };
}

/** Whatever runs in a PID namespace other than ours, as nodes and pods do, or mentions a cluster's directory. */
function processesOfClusters(): string[] {
  const ours = namespaceOf('self');
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const words = readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    const namespace = namespaceOf(pid);
    const isClusters = words.includes(clustersDirectory(process.env)) || (namespace !== '' && namespace !== ours);
    return isClusters ? [`${pid} ${namespace} ${readOrEmpty(`/proc/${pid}/cgroup`)} ${words}`] : [];
  });
}

/** Names by which things of clusters that are not this suite's are known. */
function otherClusters(): string[] {
  return entries(clustersDirectory(process.env))
    .filter(isAnothers)
    .flatMap((name) => {
      const { layout, record } = findCluster(name, process.env) ?? {};
      if (!layout || !record) return [];
      const node = recordedProcesses(layout.ledger).find((found) => found.name === 'node');
      const namespace = node && namespaceOf(String(node.identity.pid));
      return [record.cgroup, record.macAddress, layout.directory, ...(namespace ? [namespace] : [])];
    });
}

function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return ''; // it has ended
  }
}

function isAnothers(name: string): boolean {
  return !name.startsWith('e2e-') && !name.startsWith(`test-${process.pid}-`);
}

function topGroups(hierarchy: string): string[] {
  return readdirSync(hierarchy, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(hierarchy, entry.name));
}

function readSetting(name: string): string {
  return readOrEmpty(`/proc/sys/${name}`).trim();
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}
