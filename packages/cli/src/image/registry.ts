/**
 * A registry of images, over the protocol of the OCI distribution specification.
 *
 * Promises: HTTPS, unless plain HTTP was asked for; credentials go to no other host but the one that the registry names
 * for tokens; a blob that is there is not sent again, so that what was interrupted is finished by the same call.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { CommandError } from '../command-error.ts';
import { type Blobs, digestOf } from './blobs.ts';
import { type Credentials, credentialsFor } from './credentials.ts';
import type { Descriptor } from './image.ts';
import type { Reference } from './reference.ts';
import { networkFailure } from './registry-failure.ts';

export interface RegistryOptions {
  /** @default false */
  readonly isPlain?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Hears how many bytes of a blob have gone or come so far. */
export type OnBytes = (bytes: number) => void;

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew when the request is sent a second time. */
  readonly body?: () => AsyncIterable<Uint8Array> | Uint8Array<ArrayBuffer>;
  /** How long it may take until the answer is read. @default a minute */
  readonly limitMs?: number;
}

const quickMs = 60_000;
/** What is slower than 50 kB a second counts as hanging. */
const limitFor = (size: number) => quickMs + size / 50;

export class Registry {
  readonly #reference: Reference;
  readonly #options: RegistryOptions;
  #authorization: string | undefined;
  /** Whom the credentials are of, if there are any. */
  #user: string | undefined;

  constructor(reference: Reference, options: RegistryOptions) {
    this.#reference = reference;
    this.#options = options;
  }

  hasBlob({ digest }: Descriptor): Promise<boolean> {
    return this.#ask(`blobs/${digest}`, { method: 'HEAD' }, async ({ status }) => status === 200);
  }

  async sendBlob({ digest, size }: Descriptor, file: string, onBytes?: OnBytes): Promise<void> {
    const target = await this.#ask('blobs/uploads/', { method: 'POST' }, async (answer) => {
      if (answer.status !== 202) throw await this.#refused(answer, 'takes no blob');
      return new URL(answer.headers.get('location') ?? '', answer.url);
    });
    target.searchParams.set('digest', digest);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    const request = { method: 'PUT', headers, body: () => bytesOf(file, onBytes), limitMs: limitFor(size) };
    await this.#ask(target, request, async (answer) => {
      if (answer.status !== 201) throw await this.#refused(answer, `did not take the blob ${digest}`);
    });
  }

  /** Tells whether the registry lists by itself what refers to another manifest. */
  async sendManifest(mediaType: string, content: Buffer, version: string): Promise<{ readonly isListed: boolean }> {
    const request = { method: 'PUT', headers: { 'content-type': mediaType }, body: () => new Uint8Array(content) };
    return await this.#ask(`manifests/${version}`, request, async (answer) => {
      if (answer.status !== 201) throw await this.#refused(answer, `did not take the manifest ${version}`);
      return { isListed: answer.headers.has('oci-subject') };
    });
  }

  async manifest(version: string, accept: readonly string[]): Promise<string> {
    const headers = { accept: accept.join(', ') };
    const text = await this.#ask(`manifests/${version}`, { headers }, async (answer) => {
      if (answer.status !== 200) throw await this.#refused(answer, `has no image ${version}`);
      return await answer.text();
    });
    if (version.startsWith('sha256:')) this.#trust(version, digestOf(createHash('sha256').update(text)));
    return text;
  }

  /** The manifest of a tag; nothing where there is none. */
  async findManifest(tag: string, accept: readonly string[]): Promise<string | undefined> {
    return await this.#ask(`manifests/${tag}`, { headers: { accept: accept.join(', ') } }, async (answer) => {
      if (answer.status !== 200 && answer.status !== 404) throw await this.#refused(answer, `does not show ${tag}`);
      const text = await answer.text();
      return answer.status === 200 ? text : undefined;
    });
  }

  /** Brings a blob here, whole or not at all. */
  async fetchBlob({ digest, size }: Descriptor, blobs: Blobs, onBytes?: OnBytes): Promise<void> {
    if (await blobs.has(digest)) return;
    const unfinished = blobs.unfinished();
    const hash = createHash('sha256');
    try {
      await this.#ask(`blobs/${digest}`, { limitMs: limitFor(size) }, async (answer) => {
        if (answer.status !== 200 || answer.body === null) throw await this.#refused(answer, `has no blob ${digest}`);
        await pipeline(
          Readable.fromWeb(answer.body as ReadableStream<Uint8Array>),
          async function* (chunks: AsyncIterable<Buffer>) {
            let bytes = 0;
            for await (const chunk of chunks) {
              hash.update(chunk);
              bytes += chunk.length;
              onBytes?.(bytes);
              yield chunk;
            }
          },
          createWriteStream(unfinished),
        );
      });
      this.#trust(digest, digestOf(hash));
      await rename(unfinished, blobs.path(digest));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /** Sends a request, a second time with credentials if the registry wants some, and reads the answer within its limit. */
  async #ask<T>(path: string | URL, request: Ask, read: (answer: Response) => Promise<T>): Promise<T> {
    const url = typeof path === 'string' ? new URL(`${this.#origin()}/v2/${this.#reference.repository}/${path}`) : path;
    // Some registries store blobs at another host, which is not told who asks.
    const isOwn = url.origin === this.#origin();
    const challenge = Symbol('the registry wants credentials');
    let wanted = '';
    const first = await this.#send(url, request, isOwn ? this.#authorization : undefined, async (answer) => {
      if (answer.status !== 401 || !isOwn) return await read(answer);
      wanted = answer.headers.get('www-authenticate') ?? '';
      await answer.body?.cancel();
      return challenge;
    });
    if (first !== challenge) return first as T;
    this.#authorization = await this.#authorize(wanted);
    return await this.#send(url, request, this.#authorization, async (answer) => {
      if (answer.status === 401) throw await this.#unwelcome(answer);
      return await read(answer);
    });
  }

  async #send<T>(
    url: URL,
    { limitMs = quickMs, headers, body, method = 'GET' }: Ask,
    authorization: string | undefined,
    read: (answer: Response) => Promise<T>,
  ): Promise<T> {
    const { signal } = this.#options;
    using limit = deadline(systemClock, limitMs, 'the request', signal);
    try {
      const authorized = { ...headers, ...(authorization === undefined ? {} : { authorization }) };
      const request = { method, headers: authorized, signal: limit.signal };
      return await read(await fetch(url, body === undefined ? request : { ...request, body: body(), duplex: 'half' }));
    } catch (error) {
      signal.throwIfAborted();
      throw networkFailure(error, url.host) ?? error;
    }
  }

  /** The header for a challenge, as the registry asks for it. */
  async #authorize(challenge: string): Promise<string | undefined> {
    const { registry } = this.#reference;
    const credentials = await credentialsFor(registry, this.#options.env);
    this.#user = credentials?.user;
    if (/^basic/i.test(challenge)) return credentials && basic(credentials);
    const field = (name: string) => new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
    const realm = field('realm');
    if (!/^bearer/i.test(challenge) || realm === undefined) return undefined;
    const url = new URL(realm);
    if (url.protocol !== 'https:' && !this.#options.isPlain) {
      throw new CommandError(`${registry} asks for its password without TLS, at ${url.host}`, 'it was not sent');
    }
    for (const name of ['service', 'scope']) {
      const value = field(name);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return await this.#send(url, {}, credentials && basic(credentials), async (answer) => {
      if (answer.status === 401) throw await this.#unwelcome(answer);
      if (answer.status !== 200) throw await this.#refused(answer, 'gives no token');
      const { token, access_token: other } = (await answer.json()) as Record<string, string>;
      return `Bearer ${token ?? other}`;
    });
  }

  /** Nobody has logged in, or with a password that is not theirs. */
  async #unwelcome(answer: Response): Promise<CommandError> {
    const { registry } = this.#reference;
    const why = await whyOf(answer);
    return this.#user === undefined
      ? new CommandError(`${registry} wants a user and a password (${why})`, `log in with "docker login ${registry}"`)
      : new CommandError(
          `${registry} does not take the password of "${this.#user}" (${why})`,
          `log in again with "docker login ${registry}"`,
        );
  }

  async #refused(answer: Response, what: string): Promise<CommandError> {
    return new CommandError(`${this.#place()} ${what} (${await whyOf(answer)})`, this.#wayOn(answer.status));
  }

  #wayOn(status: number): string {
    const { registry } = this.#reference;
    if (status === 403) return `log in as somebody who may, with "docker login ${registry}"`;
    if (status === 404) return 'see how its name is written';
    return status < 500
      ? 'it says no more about it'
      : 'its log says more; call again when that is mended: what has arrived is kept';
  }

  #trust(digest: string, found: string): void {
    if (digest === found) return;
    throw new CommandError(`${this.#place()} answered ${found} for ${digest}`, 'do not trust this registry');
  }

  #origin(): string {
    const { registry } = this.#reference;
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
    return new URL(`${this.#options.isPlain ? 'http' : 'https'}://${host}`).origin; // as URLs are compared
  }

  #place(): string {
    return `${this.#reference.registry}/${this.#reference.repository}`;
  }
}

/** The status, with the registry's own words. */
async function whyOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  const message = /"message"\s*:\s*"([^"]{1,300})"/.exec(text)?.[1];
  return `${answer.status}${message === undefined ? '' : `, ${message}`}`;
}

/** The bytes of a file; tells how much of it was read. */
async function* bytesOf(file: string, onBytes: OnBytes | undefined): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    bytes += (chunk as Buffer).length;
    onBytes?.(bytes);
    yield chunk as Buffer;
  }
}

const basic = ({ user, password }: Credentials) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
