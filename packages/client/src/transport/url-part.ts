/** Parts of a URL, such as the user and password of a proxy. A file of its own, because socks.ts loads node:net. */

/** A part of a URL as it was meant; what is no escape stands for itself. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
