/**
 * Runs two services on one PostgreSQL server, and gives them load in turns, one at a time.
 */
import { Client } from "pg"
import { load, type LoadOptions, type LoadResult, post } from "./load.ts"
import type { Context } from "./Measurement.ts"
import { familyMillis, processMillis } from "./services/processTimes.ts"
import {
  freshDatabase,
  type Service,
  type ServiceOptions,
  startService,
} from "./services/Service.ts"

/** A service on its own database, and the number of its verifications so far. */
export interface Side {
  readonly name: string
  readonly service: Service
  readonly databaseUrl: string
  sends: number
}

/** Starts a service on a fresh database, and ends it after `use`, also after a failure. */
export const withSide = async <A>(
  context: Context,
  name: string,
  options: ServiceOptions,
  use: (side: Side) => Promise<A>,
): Promise<A> => {
  const database = await freshDatabase(await context.postgresUrl())
  try {
    const service = await startService(name, { ...options, databaseUrl: database.url })
    try {
      return await use({ name, service, databaseUrl: database.url, sends: 0 })
    } finally {
      await service.stop()
    }
  } finally {
    await database.drop()
  }
}

interface Start extends ServiceOptions {
  readonly service: string
}

/** Starts services on databases of their own. */
export const withSides = <A>(
  context: Context,
  starts: ReadonlyArray<Start>,
  use: (sides: ReadonlyArray<Side>) => Promise<A>,
): Promise<A> => {
  const [first, ...rest] = starts
  if (first === undefined) return use([])
  const { service, ...options } = first
  return withSide(context, service, options, (side) =>
    withSides(context, rest, (others) => use([side, ...others])),
  )
}

export const sendPath = "/api/v2/verify"
export const checkPath = "/api/v2/verify/check"

/** A sent request, with the data that its check needs. */
export interface Sent {
  readonly id: string
  readonly to: string
  readonly key: string
}

const onlyOk = (status: number, body: string): void => {
  if (status !== 200) throw new Error(`A request was answered ${status}: ${body}`)
}

/** Each send goes to a new phone number. The organizations take turns. */
export const sends = (
  side: Side,
  onSent?: (sent: Sent) => void,
): Pick<LoadOptions, "request" | "answer"> => {
  const first = side.sends
  const { keys } = side.service
  const numberOf = (rank: number) => `+88017${10_000_000 + ((first + rank) % 89_999_999)}`
  const keyOf = (rank: number) => keys[(first + rank) % keys.length] ?? ""
  return {
    request: (rank) => {
      side.sends = first + rank + 1
      return post(sendPath, keyOf(rank), { phone_number: numberOf(rank), expiry: 3_600 })
    },
    answer: (rank, status, body) => {
      onlyOk(status, body)
      const id = /"request_id":"([^"]+)"/.exec(body)?.[1]
      if (id === undefined) throw new Error(`No request in ${body}`)
      onSent?.({ id, to: numberOf(rank), key: keyOf(rank) })
    },
  }
}

/** Requests that are pending, with their right codes. */
export interface Pending extends Sent {
  readonly code: string
}

/** Sends a number of requests, and reads the codes from the service. */
export const sendAndCollect = async (
  side: Side,
  requests: number,
  connections = 64,
): Promise<{ readonly pending: ReadonlyArray<Pending>; readonly result: LoadResult }> => {
  // Discards the codes of earlier sends.
  await side.service.ask("codes")
  const all: Array<Sent> = []
  const result = await load({
    origin: side.service.origin,
    connections,
    requests,
    ...sends(side, (sent) => all.push(sent)),
  })
  const codes = new Map(await side.service.ask<ReadonlyArray<readonly [string, string]>>("codes"))
  return { pending: all.map((sent) => ({ ...sent, code: codes.get(sent.to) ?? "" })), result }
}

/** Checks each request once, with its correct code. */
export const checks = (
  pending: ReadonlyArray<Pending>,
): Pick<LoadOptions, "request" | "answer" | "requests"> => ({
  requests: pending.length,
  request: (rank) => {
    const { code, id, key } = pending[rank] ?? { code: "", id: "", key: "" }
    return post(checkPath, key, { request_id: id, code })
  },
  answer: (_, status, body) => onlyOk(status, body),
})

/** The result of a load, with the processor time in microseconds per response. */
export interface Measured extends LoadResult {
  readonly node: number
  /** `undefined` if the bench did not start the server. */
  readonly postgres: number | undefined
  readonly load: number
}

/** Writes all changed pages to disk, so that neither side pays for the load before it. */
const checkpoint = async (databaseUrl: string): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  // Some roles have no permission for it.
  await client.query("CHECKPOINT").catch(() => {})
  await client.end()
}

/** Runs a load on a side. */
export const measureLoad = async (
  context: Context,
  side: Side,
  options: Omit<LoadOptions, "origin">,
): Promise<Measured> => {
  const server = await context.postgresPid()
  const times = () => ({
    node: processMillis(side.service.pid),
    postgres: server === undefined ? undefined : familyMillis(server),
    load: process.cpuUsage(),
  })
  const before = times()
  const result = await load({ ...options, origin: side.service.origin })
  const after = times()
  const spent = process.cpuUsage(before.load)
  const each = (millis: number) => (1_000 * millis) / result.answered
  return {
    ...result,
    node: each(after.node - before.node),
    postgres:
      before.postgres === undefined || after.postgres === undefined
        ? undefined
        : each(after.postgres - before.postgres),
    load: (spent.user + spent.system) / result.answered,
  }
}

/** Runs a load on a side, after a checkpoint. */
export const measure: typeof measureLoad = async (context, side, options) => {
  if (context.scale === "full") await checkpoint(side.databaseUrl)
  return measureLoad(context, side, options)
}

/** The values of each round. */
export interface Comparison<A = Measured> {
  readonly ours: ReadonlyArray<A>
  readonly other: ReadonlyArray<A>
}

/** Runs the rounds of a comparison. A round that other processes disturb is repeated. */
export const inRounds = async <A>(
  { quietly, rounds }: Context,
  run: (round: number) => Promise<A>,
): Promise<ReadonlyArray<A>> => {
  const results: Array<A> = []
  for (let round = 0; round < rounds; round++) results.push(await quietly(() => run(round)))
  return results
}

/**
 * Returns the results of each side. The order is ours, others, others reversed, ours, …, so that no side always runs
 * last. A round can have several such turns.
 */
export const inTurns = async <A>(
  context: Context,
  sides: ReadonlyArray<() => Promise<A>>,
  turns = 1,
): Promise<ReadonlyArray<ReadonlyArray<A>>> => {
  const rounds = await inRounds(context, async (round) => {
    const results = sides.map((run) => ({ run, values: Array<A>() }))
    for (let turn = 0; turn < turns; turn++) {
      const order = (round * turns + turn) % 2 === 0 ? results : results.toReversed()
      for (const { run, values } of order) values.push(await run())
    }
    return results.map(({ values }) => values)
  })
  return sides.map((_, side) => rounds.flatMap((results) => results[side] ?? []))
}
