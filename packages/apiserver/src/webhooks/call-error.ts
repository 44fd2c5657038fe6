/** A webhook could not be asked, or did not answer as one: the message is the one that Go's client has for it. */
export class CallError extends Error {
  override readonly name = 'CallError';
}
