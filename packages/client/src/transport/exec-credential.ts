/**
 * Runs exec plugins: programs that print the credentials (client.authentication.k8s.io).
 *
 * Promises: one run serves all requests that wait for it; its answer serves until it expires or the server refuses it.
 * While it fails, it is run once in a second, then two, up to half a minute; requests meanwhile fail as it did.
 * Neither arguments, environment nor output of the program get into an error, apart from what it says on stderr, and
 * there secrets are masked. When the transport closes, a run ends with it.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '@keelson/core';
import type { ExecPlugin } from '../config/cluster-config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { KeyPair } from '../config/tls-material.ts';
import { isToken } from '../config/token.ts';
import { retryDelayMs } from '../queue/retry-backoff.ts';
import { type Run, runProgram } from './run-program.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: KeyPair | undefined;
  /** Wall time; absent: good until refused. */
  readonly expiresAt: number | undefined;
}

export interface ExecOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the program is told about the cluster, if it wants to know. */
  readonly cluster: () => Promise<Readonly<Record<string, unknown>>>;
  /** Ends a run. */
  readonly signal: AbortSignal;
}

/** A refused credential younger than this is not fetched again: the refusal has another reason. */
const minAgeMs = 10_000;
/** Longer than any sign-in without a person takes. */
const timeoutMs = 60_000;
/** From the start of a run that fails to the next. */
const backoff = { baseDelayMs: 1000, maxDelayMs: 30_000 };
const maxOutputBytes = 1024 * 1024;
/** Of what it complains: many times what is shown, so that no secret is cut in half before it is masked. */
const maxRead = 16 * 1024;
/** Variables of our own environment that a program must not quote either. */
const secretNames = /secret|token|passw|pwd|key|credential|auth|proxy/i;

export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #options: ExecOptions;
  #current: { readonly credential: ExecCredential; readonly since: number } | undefined;
  #running: Promise<ExecCredential> | undefined;
  #failed: { readonly times: number; readonly error: unknown; readonly until: number } | undefined;

  constructor(plugin: ExecPlugin, options: ExecOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  async get(): Promise<ExecCredential> {
    const credential = this.#current?.credential;
    if (credential && !this.#isExpired(credential)) return credential;
    if (this.#failed && this.#options.clock.monotonic() < this.#failed.until) throw this.#failed.error;
    this.#running ??= this.#attempt().finally(() => {
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

  async #attempt(): Promise<ExecCredential> {
    const startedAt = this.#options.clock.monotonic();
    try {
      const credential = await this.#run();
      this.#failed = undefined;
      return credential;
    } catch (error) {
      const times = this.#failed?.times ?? 0;
      this.#failed = { times: times + 1, error, until: startedAt + retryDelayMs(times, backoff) };
      throw error;
    }
  }

  async #run(): Promise<ExecCredential> {
    const { clock, env, cluster, signal } = this.#options;
    const { apiVersion, command, args, provideClusterInfo, interactiveMode } = this.#plugin;
    if (interactiveMode === 'Always') {
      throw this.#failure('wants to talk to a person (interactiveMode: Always), which cannot be offered here');
    }
    const told = provideClusterInfo ? await cluster() : undefined;
    const spec = { interactive: false, ...(told ? { cluster: told } : {}) };
    const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
    const run = await runProgram(command, args.reveal(), {
      env: { ...env, ...this.#plugin.env.reveal(), KUBERNETES_EXEC_INFO: info },
      clock,
      timeoutMs,
      maxOutputBytes,
      signal,
    });
    if (run.type !== 'ended' || run.how !== 0) throw this.#failure(this.#whyFailed(run, told?.['proxy-url']));
    const credential = await this.#read(run.stdout);
    this.#current = { credential, since: clock.monotonic() };
    return credential;
  }

  #whyFailed(run: Run, proxyUrl: unknown): string {
    switch (run.type) {
      case 'too late':
        return `did not finish within ${timeoutMs / 1000} s`;
      case 'too much':
        return `printed more than ${maxOutputBytes / 1024 / 1024} MiB`;
      case 'not started':
        return this.#whyNotStarted(run.code);
      case 'ended': {
        const how = typeof run.how === 'string' ? `was ended by ${run.how}` : `failed with exit code ${run.how}`;
        const told = [proxyUrl, JSON.stringify(this.#plugin.clusterExtension)].filter(isText);
        const secrets = [...this.#secrets(), ...told];
        const said = withoutSecrets(stripVTControlCharacters(run.stderr).trim().slice(0, maxRead), secrets)?.slice(
          0,
          500,
        );
        return said ? `${how}: ${said}` : how;
      }
      default:
        return run satisfies never;
    }
  }

  #whyNotStarted(code: string | undefined): string {
    switch (code) {
      case 'ENOENT': {
        const installHint = stripVTControlCharacters(this.#plugin.installHint ?? '');
        return `there is no such program; ${installHint || 'is it installed, and in PATH?'}`;
      }
      case 'EACCES':
        return 'may not be run; is it a program, and executable?';
      case undefined:
        return 'cannot be started: its arguments or its environment are too long, or not text';
      default:
        return `cannot be started now (${code})`;
    }
  }

  #secrets(): readonly string[] {
    const inherited = Object.entries(this.#options.env).flatMap(([name, value]) =>
      value !== undefined && secretNames.test(name) ? [value] : [],
    );
    const { token, certificate } = this.#current?.credential ?? {};
    const printed = [token, certificate?.key].filter((each) => each !== undefined);
    return [...this.#plugin.args.reveal(), ...Object.values(this.#plugin.env.reveal()), ...inherited, ...printed];
  }

  async #read(output: string): Promise<ExecCredential> {
    let answer: unknown;
    try {
      answer = JSON.parse(output);
    } catch {
      throw this.#failure('printed something that is not JSON'); // no cause: its message would quote the output
    }
    const { kind, apiVersion, status } = fieldsOf(answer);
    if (kind !== 'ExecCredential') throw this.#failure('did not print an ExecCredential');
    if (apiVersion !== this.#plugin.apiVersion) {
      throw this.#failure(`answered with another apiVersion than ${this.#plugin.apiVersion}`);
    }
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = fieldsOf(status);
    const certificate = await this.#pair(clientCertificateData, clientKeyData);
    if (!isText(token) && !certificate) {
      throw this.#failure('printed neither a token nor a client certificate with its key');
    }
    if (isText(token) && !isToken(token)) {
      throw this.#failure('printed a token with a line break, a space or another character that no token has');
    }
    const expiresAt = isText(expirationTimestamp) ? Date.parse(expirationTimestamp) : undefined;
    if (Number.isNaN(expiresAt)) throw this.#failure('printed an expirationTimestamp that is not a time');
    return { token: isText(token) ? token : undefined, certificate, expiresAt };
  }

  async #pair(certificate: unknown, key: unknown): Promise<KeyPair | undefined> {
    if (!isText(certificate) && !isText(key)) return undefined;
    if (!isText(certificate) || !isText(key)) {
      throw this.#failure('printed a client certificate or a key without the other');
    }
    const { pairProblem } = await import('../config/pem.ts');
    const problem = pairProblem(certificate, key);
    if (problem) throw this.#failure(`the client ${problem.of} that it printed ${problem.reason}`);
    return { certificate, key };
  }

  #failure(reason: string): ConfigError {
    return new ConfigError({ field: `exec plugin "${this.#plugin.command}"` }, reason);
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** An empty text counts as absent, as it does to client-go. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
