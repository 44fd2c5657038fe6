/** Bearer tokens, as text: what a header can carry. */

export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export const notAToken = 'is no token: it contains a line break, a space or another character that no token has';
