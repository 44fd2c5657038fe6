/**
 * The node's own place on this machine: a PID, a network and a mount namespace, held open by one process.
 *
 * Everything the node does happens inside: containerd, kubelet and pods are processes of its PID namespace; mounts,
 * interfaces, routes, iptables rules and net.* settings exist only there. So when that one process is killed, the
 * kernel ends all the others and takes the rest away, whatever state it is in, and the machine is as it was.
 *
 * Inside, /run, /var/lib and /var/log are directories of the cluster, so that kubelet, containerd and CNI, which
 * write there by fixed paths, leave nothing on the machine.
 */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from '../cluster-directory/layout.ts';
import type { Context, Environment } from '../machine/context.ts';
import { until } from '../machine/wait.ts';
import { requireRunning } from '../processes/failure-reason.ts';
import { launch, recorded, recordedProcesses, type Started } from '../processes/ledger.ts';
import type { Command } from '../processes/run.ts';

/** Where things are inside. Short, so that socket paths fit, and the same for every cluster. */
export const inside = {
  cluster: '/run/keelson/cluster',
  packages: '/run/keelson/packages',
  programs: '/run/keelson/programs',
} as const;

/**
 * Kernel settings of the whole machine that kubelet insists on and would otherwise change. Inside, the wanted value
 * is laid over each of them as a file: kubelet is content, and the machine keeps its own.
 */
const kubeletSettings: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

export interface NamespaceOptions {
  readonly layout: Layout;
  /** The unpacked packages of Debian. */
  readonly packages: string;
  /** Programs by the names they have in `inside.programs`; `pause` must be among them. */
  readonly programs: Readonly<Record<string, string>>;
  readonly env: Environment;
}

export interface Namespaces {
  /** Process 1 inside, by its id outside. */
  readonly pid: number;
  /** The command, made to run inside. */
  enter(command: Command): Command;
}

export async function createNamespaces(options: NamespaceOptions, context: Context): Promise<Namespaces> {
  const { layout, env } = options;
  const { clock, signal } = context;
  const script = join(layout.node, 'setup.sh');
  const done = join(layout.node, 'set-up');
  mkdirSync(layout.node, { recursive: true });
  writeFileSync(script, setupScript(options, done));
  chmodSync(script, 0o700);

  // With --kill-child, process 1 dies with unshare, and everything inside with process 1. Both are on record.
  const command: Command = ['unshare', '--pid', '--fork', '--kill-child', '--net', '--mount', '--ipc'];
  const started = launch(layout.ledger, 'node-namespaces', [...command, ...recorded(layout.ledger, 'node', [script])], {
    env,
  });
  await until(() => whenSetUp(started, done), {
    clock,
    signal,
    what: "the node's namespaces",
    deadlineMs: 300_000,
    everyMs: 10,
  });
  const first = recordedProcesses(layout.ledger).find(({ name }) => name === 'node');
  if (!first) throw new TypeError('the node did not record itself');
  const { pid } = first.identity;
  return {
    pid,
    enter: (command) => ['nsenter', `--target=${pid}`, '--pid', '--net', '--mount', '--ipc', '--', ...command],
  };
}

function whenSetUp(started: Started, done: string): true | undefined {
  requireRunning(started);
  return existsSync(done) ? true : undefined;
}

/** Run as process 1 inside; it ends by becoming the pause program, which holds the namespaces and reaps orphans. */
export function setupScript({ layout, packages, programs }: NamespaceOptions, done: string): string {
  const runDirectory = join(layout.node, 'run');
  const bind = (from: string, to: string) => `mount --bind ${quote(from)} ${quote(to)}`;
  const onto = (path: string) => join(runDirectory, path.slice('/run/'.length));
  const settings = Object.entries(kubeletSettings).flatMap(([name, value]) => {
    const substitute = join(layout.node, 'settings', name.replaceAll('/', '.'));
    return [
      `printf '%s\\n' ${value} >${quote(substitute)}`,
      `[ ! -e /proc/sys/${name} ] || ${bind(substitute, `/proc/sys/${name}`)}`,
    ];
  });
  return [
    '#!/bin/sh',
    'set -eu',
    `cd ${quote(layout.node)}`,
    'mkdir -p lib log settings tmp',
    `mkdir -p ${[inside.cluster, inside.packages, inside.programs].map((path) => quote(onto(path))).join(' ')}`,
    'mount -t proc proc /proc',
    ...settings,
    bind(layout.directory, onto(inside.cluster)),
    bind(packages, onto(inside.packages)),
    ...Object.entries(programs).flatMap(([name, path]) => {
      const place = join(onto(inside.programs), name);
      return [`: >${quote(place)}`, bind(path, place)];
    }),
    bind(join(layout.node, 'lib'), '/var/lib'),
    bind(join(layout.node, 'log'), '/var/log'),
    `mount --rbind ${quote(runDirectory)} /run`,
    'mount --make-rshared /', // kubelet hands mounts on to pods, as on a machine run by systemd
    'ip link set lo up',
    'printf 1 >/proc/sys/net/ipv4/ip_forward',
    `: >${inside.cluster}/node/${done.split('/').at(-1)}`,
    `exec ${inside.programs}/pause`,
    '',
  ].join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
