/** Kubernetes' letters for generated names: no vowels, so that no words appear. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** The digits of a hash as letters that are safe in names. */
export function safeEncoded(digits: string): string {
  return [...digits].map((digit) => letters[digit.charCodeAt(0) % letters.length]).join('');
}
