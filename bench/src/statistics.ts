/** What is said of a series of samples: its median, and the quartiles as its spread. */

export interface Summary {
  readonly median: number;
  /** A quarter of the samples is at or below this. */
  readonly lowerQuartile: number;
  /** A quarter of the samples is at or above this. */
  readonly upperQuartile: number;
}

/** The value below which `fraction` of the samples lie, interpolated between the two nearest ones. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position % 1);
}

/** Median and quartiles: unlike mean and deviation they are not moved by one run that the machine disturbed. */
export function summary(samples: readonly number[]): Summary {
  if (samples.length === 0) throw new RangeError('samples: expected at least one, received none');
  const wrong = samples.find((sample) => !Number.isFinite(sample));
  if (wrong !== undefined) throw new RangeError(`samples: expected finite numbers, received ${wrong}`);
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  };
}
