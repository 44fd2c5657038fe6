/** What is going on while an image is made and moved: a line that changes, with a bar for what takes its time. */
import { LiveView } from '../live-view.ts';
import type { Shell } from '../shell.ts';

/** Hears how much of something was moved: `Sending blob 1 of 7`, 0 of 45,600,000 bytes. */
export type OnTransfer = (what: string, bytes: number, size: number) => void;

export interface Steps {
  readonly onStep: (text: string) => void;
  readonly onTransfer: OnTransfer;
  /** Takes the line away. */
  readonly end: () => void;
}

/** On a terminal the line is written over, with each hundredth of a transfer. Elsewhere each step is one line. */
export function stepsOf(shell: Pick<Shell, 'err' | 'errColumns'>): Steps {
  const view = new LiveView(shell);
  let shown = '';
  return {
    onStep(text) {
      view.show([{ key: text, text: `${text}…` }]);
    },
    onTransfer(what, bytes, size) {
      const part = `${what} ${Math.floor((100 * bytes) / size)}`;
      if (part === shown) return;
      shown = part;
      const text = `${what} ${bar(bytes, size)} ${megabytes(bytes)} of ${megabytes(size)}`;
      view.show([{ key: what, text, plain: `${what}, ${megabytes(size)}` }]);
    },
    end: () => view.clear(),
  };
}

const width = 20;

function bar(bytes: number, size: number): string {
  const filled = size === 0 ? width : Math.min(width, Math.floor((width * bytes) / size));
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
}

export const megabytes = (size: number): string =>
  size < 1e6 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`;
