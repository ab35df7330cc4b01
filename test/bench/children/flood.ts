/**
 * The callers of one organization, which never pause. They run in their own process, so that they do not
 * slow down the measurement of other organizations.
 */
import { load, post } from "../load.ts"
import { numberOf } from "../nodes.ts"
import { sendPath } from "../sides.ts"
import { answer, inputOf } from "./child.ts"

export interface FloodInput {
  readonly origin: string
  readonly key: string
  readonly connections: number
  readonly durationMillis: number
  /** The first phone number to send to. */
  readonly from: number
}

export interface FloodResult {
  readonly perSecond: number
  /** Number of responses with status 200. */
  readonly sent: number
  readonly refused: number
  readonly p50: number
}

const { connections, durationMillis, from, key, origin } = inputOf<FloodInput>()

const { p50, perSecond, statuses } = await load({
  origin,
  connections,
  durationMillis,
  request: (rank) => post(sendPath, key, { phone_number: numberOf(from + rank), expiry: 3_600 }),
  answer: (_, status, body) => {
    if (status !== 200 && status !== 503) throw new Error(`The flood received ${status}: ${body}`)
  },
  counts: (status) => status === 200,
})

answer({
  perSecond,
  p50,
  sent: statuses.get(200) ?? 0,
  refused: statuses.get(503) ?? 0,
} satisfies FloodResult)
