/** A mutation that cannot be done; the message is the server's. */
export class MutationFailed extends Error {}
