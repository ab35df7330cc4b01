/**
 * A measurement of the bench: it runs on this machine only, bounded in count and time, and returns figures
 * that the results page prints unchanged.
 */

/** One line of the table of results. */
export interface Figure {
  /** The operation and its load: `POST /verify, one organization, 64 connections`. */
  readonly work: string
  /** The value of the engine, with its unit. */
  readonly ours: string
  /** The value of the other side, with its unit and its name. */
  readonly against?: string | undefined
  /**
   * The ratio of the engine to the other side: the median of the rounds. More is better for throughput, less
   * for time and memory, as `wanted` says.
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
  /** Paragraphs below the table: the limits of a figure, alternatives that were tried, and checks. */
  readonly notes?: ReadonlyArray<string> | undefined
  readonly charts?: ReadonlyArray<Chart> | undefined
}

export interface Context {
  /** `quick` only shows that the measurement runs: counts are small, and the figures mean nothing. */
  readonly scale: "full" | "quick"
  /** Number of interleaved rounds of each comparison. */
  readonly rounds: number
  /**
   * Returns the URL of a PostgreSQL server with `fsync` on, on which databases may be created and dropped. One
   * server for the whole run, started by the first call.
   */
  readonly postgresUrl: () => Promise<string>
  /** Process id of that server if the bench has started it. */
  readonly postgresPid: () => Promise<number | undefined>
  /** Runs a round, and repeats it while other processes take more than 5 % of the processors. */
  readonly quietly: <A>(round: () => Promise<A>) => Promise<A>
  readonly log: (line: string) => void
  /** The folder of an earlier build, if one was given. */
  readonly base?: string | undefined
}

export interface Measurement {
  /** Short name for the command line: `pnpm bench send retention`. */
  readonly id: string
  readonly title: string
  /** The numbers of the rows of the specification that it covers. */
  readonly rows: ReadonlyArray<number>
  readonly run: (context: Context) => Promise<Report>
}
