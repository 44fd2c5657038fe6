/** The secrets of a configuration that stay the same, for masking; those that files and plugins bring are learned in use. */
import type { ClusterConfig } from '../config/cluster-config.ts';
import { decoded } from './url-part.ts';

/** Variables for an exec plugin that are secret by their name. */
const secretNames = /secret|token|passw|pwd|key|credential|auth/i;

export function secretsOf({ credentials, proxyUrl, tls }: ClusterConfig): readonly string[] {
  const secrets: string[] = [];
  if (credentials.type === 'token') secrets.push(credentials.token.reveal());
  if (credentials.type === 'basic') secrets.push(credentials.password.reveal());
  if (credentials.type === 'exec') {
    for (const [name, value] of Object.entries(credentials.plugin.env.reveal())) {
      if (secretNames.test(name)) secrets.push(value);
    }
  }
  const key = tls.clientCertificate?.key;
  if (key?.type === 'data') secrets.push(keyText(key.pem.reveal()));
  if (proxyUrl) {
    const { username, password } = new URL(proxyUrl.reveal());
    secrets.push(decoded(password), password);
    // Some take a token for a user. One with a password is no secret, and as a word it may stand in any text.
    if (password === '') secrets.push(decoded(username), username);
    else secrets.push(Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64'));
  }
  return secrets.filter((secret) => secret !== '');
}

/** A key without the lines around it, which every key has. */
export function keyText(pem: string): string {
  return pem.replace(/-----[^-\n]*-----/g, '').trim();
}

/** What is secret in an `authorization` header. */
export function credentialOf(authorization: string): string {
  return authorization.slice(authorization.indexOf(' ') + 1);
}
