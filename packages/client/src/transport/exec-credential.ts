/**
 * Runs exec plugins: programs that print the credentials (client.authentication.k8s.io).
 *
 * Promises: one run serves all requests that wait for it; its answer serves until it expires or the server refuses it.
 * Neither arguments, environment nor output of the program get into an error, apart from what it says on stderr.
 */
import { execFile } from 'node:child_process';
import type { Clock } from '@keelson/core';
import type { ExecPlugin } from '../config/cluster-config.ts';
import { ConfigError } from '../config/config-error.ts';

export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: { readonly certificate: string; readonly key: string } | undefined;
  /** Wall time; absent: good until refused. */
  readonly expiresAt: number | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the program is told about the cluster, if it wants to know. */
  readonly cluster: () => Promise<Readonly<Record<string, unknown>>>;
}

/** A refused credential younger than this is not fetched again: the refusal has another reason. */
const minAgeMs = 10_000;
/** Longer than any sign-in without a person takes. */
const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;

export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #options: ExecOptions;
  #current: { readonly credential: ExecCredential; readonly since: number } | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  async get(): Promise<ExecCredential> {
    const credential = this.#current?.credential;
    if (credential && !this.#isExpired(credential)) return credential;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The server refused this credential; whether asking again can give another one. */
  refuse(credential: ExecCredential): boolean {
    if (this.#current?.credential !== credential) return true; // someone renewed it already
    if (this.#options.clock.monotonic() - this.#current.since < minAgeMs) return false;
    this.#current = undefined;
    return true;
  }

  #isExpired({ expiresAt }: ExecCredential): boolean {
    return expiresAt !== undefined && this.#options.clock.now() >= expiresAt;
  }

  async #run(): Promise<ExecCredential> {
    const { clock, env, cluster } = this.#options;
    const { apiVersion, command, args, provideClusterInfo, interactiveMode } = this.#plugin;
    if (interactiveMode === 'Always') throw this.#failure('needs a terminal, and there is none');
    const info = {
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, ...(provideClusterInfo ? { cluster: await cluster() } : {}) },
    };
    const output = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        command,
        [...args.reveal()],
        {
          env: { ...env, ...this.#plugin.env.reveal(), KUBERNETES_EXEC_INFO: JSON.stringify(info) },
          maxBuffer: maxOutputBytes,
          windowsHide: true,
        },
        (error, stdout, stderr) => {
          timer[Symbol.dispose]();
          if (error) reject(this.#failure(this.#whyFailed(error, stderr)));
          else resolve(stdout);
        },
      );
      child.stdin?.end();
      const timer = clock.setTimer(timeoutMs, () => child.kill('SIGKILL'));
    });
    const credential = this.#read(output);
    this.#current = { credential, since: clock.monotonic() };
    return credential;
  }

  #whyFailed(error: Error & { code?: unknown; killed?: boolean; signal?: unknown }, stderr: string): string {
    const { installHint } = this.#plugin;
    if (error.code === 'ENOENT') {
      return `there is no such program${installHint ? `; ${installHint}` : '; is it installed, and in PATH?'}`;
    }
    const how = error.signal ? `was ended by ${String(error.signal)}` : `failed with exit code ${String(error.code)}`;
    const said = this.#withoutSecrets(stderr.trim()).slice(0, 500);
    return said ? `${how}: ${said}` : how;
  }

  #withoutSecrets(text: string): string {
    const secrets = [...this.#plugin.args.reveal(), ...Object.values(this.#plugin.env.reveal())];
    return secrets
      .filter((secret) => secret.length >= 6)
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  }

  #read(output: string): ExecCredential {
    let answer: unknown;
    try {
      answer = JSON.parse(output);
    } catch {
      throw this.#failure('printed something that is not JSON'); // no cause: its message would quote the output
    }
    const { kind, apiVersion, status } = (answer ?? {}) as Record<string, unknown>;
    if (kind !== 'ExecCredential') throw this.#failure('did not print an ExecCredential');
    if (apiVersion !== this.#plugin.apiVersion) {
      throw this.#failure(`answered with another apiVersion than ${this.#plugin.apiVersion}`);
    }
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = (status ?? {}) as Record<
      string,
      unknown
    >;
    const certificate =
      typeof clientCertificateData === 'string' && typeof clientKeyData === 'string'
        ? { certificate: clientCertificateData, key: clientKeyData }
        : undefined;
    if (typeof token !== 'string' && !certificate) {
      throw this.#failure('printed neither a token nor a client certificate with its key');
    }
    const expiresAt = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : undefined;
    if (Number.isNaN(expiresAt)) throw this.#failure('printed an expirationTimestamp that is not a time');
    return { token: typeof token === 'string' ? token : undefined, certificate, expiresAt };
  }

  #failure(reason: string): ConfigError {
    return new ConfigError({ field: `exec plugin "${this.#plugin.command}"` }, reason);
  }
}
