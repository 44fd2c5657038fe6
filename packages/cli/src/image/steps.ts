/** What is going on while an image is made and moved: a line that changes, with a bar for what takes its time. */
import { LiveView } from '../live-view.ts';
import { progress, type Shell } from '../shell.ts';

/** Hears how much of something was moved: `Sending blob 1 of 7`, 0 of 45,600,000 bytes. */
export type OnTransfer = (what: string, bytes: number, size: number) => void;

export interface Steps {
  readonly onStep: (text: string) => void;
  readonly onTransfer: OnTransfer;
  /** Takes the line away. */
  readonly end: () => void;
}

/** On a terminal the line is written over. Elsewhere each transfer is one, and other steps are for people alone. */
export function stepsOf(shell: Shell): Steps {
  const view = new LiveView(shell);
  const isTerminal = shell.errColumns() !== undefined;
  return {
    onStep(text) {
      if (isTerminal) view.show([{ key: text, text: `${text}…` }]);
      else progress(shell, text);
    },
    onTransfer(what, bytes, size) {
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
