/**
 * The remarks that travel with an answer, as headers in the form that RFC 7234 gives to warnings.
 *
 * Promises: each is said once; they stay as small as the real server keeps them, since clients refuse large headers, and a
 * write that happened must not look like one that failed.
 */
const maxTotal = 4096;
const maxEach = 256;

export function warningHeaders(remarks: readonly string[]): readonly string[] {
  const texts = [...new Set(remarks)].filter((text) => text !== '');
  const total = texts.reduce((sum, text) => sum + lengthOf(text), 0);
  return (total <= maxTotal ? texts : truncated(texts)).filter((text) => !/\p{Cc}/u.test(text)).map(header);
}

/** All that is long is cut as soon as it is too much together; what then comes after enough is left out. */
function truncated(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= maxTotal) break;
    const cut = lengthOf(text) > maxEach ? [...text].slice(0, maxEach).join('') : text;
    written += lengthOf(cut);
    kept.push(cut);
  }
  return kept;
}

/** In characters, as Go counts them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

const header = (text: string): string => `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
