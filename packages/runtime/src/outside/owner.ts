/** Who runs an operator outside of its cluster, and where, as a name of an object has it. */
import { hostname, userInfo } from 'node:os';

export function ownerHere(): string {
  const text = `${userName()}-${hostname()}`.toLowerCase();
  return text
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 100);
}

/** Who has no entry among the users, as in many a container, is known by number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `${process.getuid?.() ?? 'nobody'}`;
  }
}
