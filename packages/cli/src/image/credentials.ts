/**
 * Credentials for a registry, as `docker login` keeps them: in Docker's configuration, or in the helper that it names.
 *
 * They are sent to that registry and to where it sends for tokens, and never told to anybody else.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import { CommandError } from '../command-error.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** What there is for the registry; nothing, if nobody has logged in to it. */
export async function credentialsFor(
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials | undefined> {
  const file = join(env.DOCKER_CONFIG || join(homedir(), '.docker'), 'config.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { auths, credHelpers, credsStore } = parsed(text, file);
  const names =
    registry === 'docker.io' ? ['https://index.docker.io/v1/', registry] : [registry, `https://${registry}`];
  for (const name of names) {
    const helper = (isObject(credHelpers) && credHelpers[name]) || credsStore;
    if (typeof helper === 'string' && helper !== '') {
      const found = await asked(helper, name, env);
      if (found !== undefined) return found;
    }
    const entry = isObject(auths) ? auths[name] : undefined;
    if (!isObject(entry) || typeof entry.auth !== 'string') continue;
    const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(entry.auth, 'base64').toString()) ?? [];
    if (user !== undefined && password !== undefined) return { user, password };
  }
  return undefined;
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {} // told below, without the text: there are passwords in it
  throw new CommandError(`${file} is no JSON object`, 'mend it, or log in again with "docker login"');
}

/** What `docker-credential-NAME get` answers. It fails for a registry that it does not know. */
function asked(
  helper: string,
  registry: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Credentials | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(`docker-credential-${helper}`, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    child.on('error', () =>
      reject(
        new CommandError(
          `Docker's configuration leaves passwords to docker-credential-${helper}, which cannot be started`,
          'install it, or log in again without it',
        ),
      ),
    );
    child.on('close', (code) => {
      if (code !== 0) return resolve(undefined);
      try {
        const { Username: user, Secret: password } = JSON.parse(output) as Record<string, string>;
        resolve(user !== undefined && password !== undefined ? { user, password } : undefined);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.on('error', () => {}); // it ended before it read; its exit code says why
    child.stdin.end(registry);
  });
}
