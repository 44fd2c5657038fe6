/**
 * Which files of unit tests share a process, and which process starts first.
 *
 * What a process of its own costs a file is less the half second to import what it tests than that the engine has to
 * find out again what runs often and compile it: eleven files of the Memcached operator took 59 s of CPU apart, and 33 s
 * together. So the pure tables share one process, and so do the files listed here: those in which all happens in
 * the process, mostly in virtual time. Not for them: children, memory that is measured, modules that are counted, process
 * events, and hooks outside of a suite, which would be everybody's. A file that is not listed has a process of its own.
 */
import { dirname } from 'node:path';

export interface TestProcess {
  readonly name: string;
  /** Run one after the other, in this order. */
  readonly files: readonly string[];
}

/** The files of a folder that share a process. */
const shared: Readonly<Record<string, readonly string[]>> = {
  'packages/runtime/test': [
    'caches',
    'campaign',
    'certificates',
    'drift',
    'engine',
    'finalize',
    'leadership',
    'own-writes',
    'passes',
    'plan',
    'settings-and-tasks',
    'steady',
    'storms',
    'tracing',
    'watches',
  ],
  'operators/memcached/test': [
    'changes',
    'conversions',
    'drift',
    'failing-pods',
    'golden',
    'rights',
    'situations',
    'statefulset',
    'upgrade',
    'virtual-time',
  ],
  'packages/cluster/test': [
    'autoscaler',
    'controllers',
    'determinism',
    'disruption',
    'held-namespace',
    'logs',
    'remarks',
    'resource-quota',
    'stale-cache',
    'told-pods',
  ],
  'packages/testing/test': [
    'endless',
    'failures',
    'faults',
    'mistakes',
    'own-rights',
    'policies',
    'program',
    'replica',
    'webhooks',
  ],
  'operators/echo/test': ['golden', 'probes', 'rights', 'virtual-time'],
  'examples/test': ['operator', 'runtime', 'testing'],
  'packages/apiserver/test': [
    'conversion-webhooks',
    'custom-resources',
    'determinism',
    'events',
    'history',
    'identity',
    'in-process',
    'late-admission',
    'logs',
    'not-implemented',
    'protobuf',
    'recorded-writes',
    'schemas',
    'watch',
    'webhooks',
  ],
  'packages/client/test': ['discovery', 'embedded', 'install-definitions', 'leader-election'],
  'packages/schema/test': ['built-in-fields', 'entries', 'markers', 'random-spec', 'recorded'],
};

/** The dearest first, so that no long one begins when all others are done. What is not named follows. */
export const first: readonly string[] = [
  'tools/repo/test/check.test.ts',
  'packages/runtime/test',
  'operators/memcached/test',
  'packages/client/test',
  'conformance/test/embedded.test.ts',
  'tables',
  'packages/cluster/test',
  'tools/kubernetes/test/life-and-death.test.ts',
  'tools/kubernetes/test/bad-situations.test.ts',
  'packages/testing/test',
  'operators/echo/test',
  'packages/cli/test/cluster.test.ts',
];

/** The files that share a process with others of their folder. */
export const sharing: ReadonlySet<string> = new Set(
  Object.entries(shared).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}.test.ts`)),
);

/** Every file in one process, the dearest process first. */
export function processesFor(files: readonly string[]): readonly TestProcess[] {
  const nameOf = (file: string) => (/\/src\//.test(file) ? 'tables' : sharing.has(file) ? dirname(file) : file);
  const names = [...new Set(files.map(nameOf))];
  const processes = names.map((name) => ({ name, files: files.filter((file) => nameOf(file) === name) }));
  const rank = ({ name }: TestProcess) => (first.includes(name) ? first.indexOf(name) : first.length);
  return processes.sort((one, other) => rank(one) - rank(other));
}
