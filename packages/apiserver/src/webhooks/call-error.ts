/** A webhook could not be asked, or did not answer as one: the message is the one that Go's client has for it. */
export class CallError extends Error {
  override readonly name: string = 'CallError';
}

/** There is no way to call it at all: its authority cannot be read. */
export class ClientError extends CallError {
  override readonly name = 'ClientError';
}
