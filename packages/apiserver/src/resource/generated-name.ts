/** Names that the server makes up. */
import type { Random } from '@keelson/core';

/** No vowels, so that no words come out, and nothing that looks like something else. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxNameLength = 63;

export function generatedSuffix(random: Random): string {
  return Array.from({ length: suffixLength }, () => alphabet[Math.floor(random.next() * alphabet.length)]).join('');
}

/** `generateName` with something random behind it; a long one is cut so that the result fits a label value. */
export function generatedName(random: Random, generateName: string): string {
  return `${generateName.slice(0, maxNameLength - suffixLength)}${generatedSuffix(random)}`;
}
