/** Stand-ins for the programs of Kubernetes, and a way to run our command among them: for what goes wrong early. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@keelson/core/system';
import { type Layout, layoutOf } from '../src/cluster-directory/layout.ts';
import { findOnPath, systemPath } from '../src/machine/find-on-path.ts';
import { until } from '../src/machine/wait.ts';
import { recordedProcesses } from '../src/processes/ledger.ts';
import { exitCode, type Finished } from '../src/processes/run.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Why none of this can be tried here, or false. */
export const unsuited: string | false =
  process.platform !== 'linux'
    ? 'it is for Linux only'
    : !findOnPath('flock', systemPath(process.env)) && 'flock (of util-linux) is not on this machine';

export interface RunningCommand {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  signal(name: NodeJS.Signals): void;
}

/** A machine in a temporary directory: an empty cache, and a PATH with nothing but a shell and its basics. */
export class FakeMachine implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'keelson-test-'));
  readonly cache = join(this.directory, 'cache');
  readonly assets = join(this.directory, 'assets');
  readonly #path = join(this.directory, 'path');

  constructor() {
    mkdirSync(this.assets);
    mkdirSync(this.#path);
    for (const tool of ['sh', 'flock', 'cat', 'sleep']) {
      symlinkSync(findOnPath(tool, systemPath(process.env)) ?? tool, join(this.#path, tool));
    }
  }

  get env(): Record<string, string> {
    return { PATH: this.#path, HOME: this.directory, XDG_CACHE_HOME: this.cache };
  }

  /** A program that tells its version, or else runs `body`. */
  install(program: string, version: string, body = 'exec sleep 600'): this {
    const path = join(this.assets, program);
    const words = { etcd: `etcd Version: ${version}`, kubectl: `Client Version: ${version}` }[program];
    writeFileSync(
      path,
      `#!/bin/sh\ncase "$1" in --version|version) echo "${words ?? `Kubernetes ${version}`}" ;; *) ${body} ;; esac\n`,
    );
    chmodSync(path, 0o755);
    return this;
  }

  installAll(version: string, apiServer?: string): this {
    this.install('etcd', '3.6.16').install('kube-apiserver', version, apiServer).install('kubectl', version);
    return this.install('kube-controller-manager', version).install('kube-scheduler', version);
  }

  /** Starts our command with the assets in its environment. */
  start(args: readonly string[], env: Record<string, string> = { KUBEBUILDER_ASSETS: this.assets }): RunningCommand {
    const child = spawn(process.execPath, [main, ...args], { env: { ...this.env, ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    return {
      pid: child.pid ?? 0,
      finished: new Promise((resolve) => {
        child.on('close', (code, signal) => resolve({ code: exitCode(code, signal), stdout, stderr }));
      }),
      signal: (name) => void child.kill(name),
    };
  }

  run(args: readonly string[], env?: Record<string, string>): Promise<Finished> {
    return this.start(args, env).finished;
  }

  layout(name = 'default'): Layout {
    return layoutOf(join(this.cache, 'keelson', 'clusters', name));
  }

  /** Waits until that process of the cluster runs, and returns all that do. */
  async processes(waitFor: string, name = 'default') {
    const { ledger } = this.layout(name);
    return await until(
      () => {
        const found = recordedProcesses(ledger);
        return found.some((process) => process.name === waitFor) ? found : undefined;
      },
      { clock: systemClock, what: waitFor, deadlineMs: 120_000, everyMs: 10 },
    );
  }

  clusters(): string[] {
    const directory = join(this.cache, 'keelson', 'clusters');
    return existsSync(directory) ? readdirSync(directory) : [];
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
