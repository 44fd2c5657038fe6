import type { MessageSocket } from '../src/request/exchange.ts';

/** A caller that a test plays: it takes nothing of what it is sent. */
export class PlayedCaller implements MessageSocket {
  readonly sent: Uint8Array[] = [];
  isPaused = false;
  isAborted = false;
  say: (bytes: Uint8Array) => void = () => {};
  leave: () => void = () => {};

  get pending(): number {
    return this.sent.reduce((sum, { length }) => sum + length, 0);
  }
  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }
  onMessage(listener: (bytes: Uint8Array) => void): void {
    this.say = listener;
  }
  onClose(listener: () => void): void {
    this.leave = listener;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {}
  abort(): void {
    this.isAborted = true;
    this.leave();
  }
}
