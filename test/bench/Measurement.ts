/**
 * What every measurement of the bench is: it runs by itself, on this machine only, bounded in count and
 * time, and hands over figures that the results page prints as they are.
 */

/** One line of the table of results. */
export interface Figure {
  /** What was done, with its load: `POST /verify, one organization, 64 connections`. */
  readonly work: string
  /** What was measured of the engine, with its unit. */
  readonly ours: string
  /** The same of what it is held against, with its unit and its name. */
  readonly against?: string | undefined
  /**
   * Ours to the other: the median over the rounds. Of throughput more is better, of time and memory less;
   * `wanted` says which.
   */
  readonly ratio?: number | undefined
  /** The lowest and the highest ratio of a round. */
  readonly spread?: readonly [number, number] | undefined
  /** The target in words; `undefined` for a figure that is only reported. */
  readonly wanted?: string | undefined
  readonly reached?: boolean | undefined
}

/** A picture for the docs. */
export interface Chart {
  /** File name below `docs/figures`, ending in `.svg`. */
  readonly file: string
  readonly caption: string
  readonly svg: string
}

export interface Report {
  readonly figures: ReadonlyArray<Figure>
  /** Paragraphs below the table: what bounds a figure, what was tried, how it was checked. */
  readonly notes?: ReadonlyArray<string> | undefined
  readonly charts?: ReadonlyArray<Chart> | undefined
}

export interface Context {
  /** `quick` is for seeing that it runs: every count is small and the figures mean nothing. */
  readonly scale: "full" | "quick"
  /** Interleaved rounds for everything that is compared. */
  readonly rounds: number
  /**
   * Address of a PostgreSQL server with `fsync` on, on which databases may be made and dropped. One for
   * the whole run; started when it is first asked for.
   */
  readonly postgresUrl: () => Promise<string>
  /** Process id of that server where the bench has started it itself. */
  readonly postgresPid: () => Promise<number | undefined>
  readonly log: (line: string) => void
}

export interface Measurement {
  /** Short name for the command line: `pnpm bench send retention`. */
  readonly id: string
  readonly title: string
  /** The numbers of the rows of the specification that it answers. */
  readonly rows: ReadonlyArray<number>
  readonly run: (context: Context) => Promise<Report>
}
