/** Searches of a long log, compared with the same ones of a short log in the same database. */
import { createCountersign } from "countersign"
import { organizationId, recipientNumber } from "../bulk.ts"
import { latencyFigure } from "../compared.ts"
import type { Context, Figure } from "../Measurement.ts"
import { median } from "../stats.ts"
import { inRounds } from "../sides.ts"

/** An organization of the bulk load with this number of messages, five to a phone number. */
export interface Log {
  readonly index: number
  readonly messages: number
}

/** Maximum time of a search of the long log, relative to the short one. */
const most = 1.5

/** The text of a cursor behind the message with a sequence. Searches examine messages from there on. */
export const cursorAt = (sequence: number): string => `c${sequence.toString(36)}`

/** A different place of a log in each turn. */
export const placeOf = (turn: number, places: number): number => (turn * 7_919) % places

/** Compares searches by any number, and pages at any depth, one call at a time. */
export const searchFigures = async (
  context: Context,
  database: string,
  short: Log,
  long: Log,
): Promise<ReadonlyArray<Figure>> => {
  await using engine = await createCountersign({
    secret: "b".repeat(32),
    database,
    log: () => {},
    gateways: {
      sms: {
        name: "none",
        send: async () => ({ status: "not_sent", message: "none" }),
      },
    },
  })
  const ownerOf = ({ index }: Log) => engine.organization(organizationId(index))
  const someNumber = ({ messages }: Log, turn: number) => ({
    phoneNumber: recipientNumber(placeOf(turn, messages / 5)),
  })
  const somePlace = ({ messages }: Log, turn: number) => ({
    cursor: cursorAt(2_100 + placeOf(turn, messages - 2_100)),
  })
  const searches: Readonly<Record<string, (on: Log, turn: number) => Promise<unknown>>> = {
    "messages of any number": (on, turn) => ownerOf(on).messages.list(someNumber(on, turn)),
    "verifications of any number": (on, turn) =>
      ownerOf(on).verifications.list(someNumber(on, turn)),
    "messages that are delivered, any page": (on, turn) =>
      ownerOf(on).messages.list({ ...somePlace(on, turn), statuses: ["delivered"] }),
    "messages with an unknown outcome, any page without any": (on, turn) =>
      ownerOf(on).messages.list({ ...somePlace(on, turn), statuses: ["unknown"] }),
    "verifications that failed, any page": (on, turn) =>
      ownerOf(on).verifications.list({ ...somePlace(on, turn), statuses: ["failed"] }),
  }
  const each = context.scale === "full" ? 100 : 5
  const turns = async (search: (on: Log, turn: number) => Promise<unknown>, first: number) => {
    const times = { ours: Array<number>(), other: Array<number>() }
    for (let turn = first; turn < first + each; turn++) {
      const sides = [
        { on: long, to: times.ours },
        { on: short, to: times.other },
      ]
      for (const { on, to } of turn % 2 === 0 ? sides : sides.toReversed()) {
        const began = performance.now()
        await search(on, turn)
        to.push(performance.now() - began)
      }
    }
    return { ours: median(times.ours), other: median(times.other) }
  }
  const figures: Array<Figure> = []
  for (const [name, search] of Object.entries(searches)) {
    await turns(search, 0)
    // The numbers and pages of the first turns again: this measures the search, not the disk.
    const rounds = await inRounds(context, () => turns(search, 0))
    const values = {
      ours: rounds.map(({ ours }) => ours),
      other: rounds.map(({ other }) => other),
    }
    const figure = latencyFigure(values, {
      work: `search: ${name}, in ${long.messages.toLocaleString("en")}`,
      name: `in ${short.messages.toLocaleString("en")}`,
      wanted: most,
    })
    context.log(`${figure.work}: ${figure.ours}, ${figure.against}`)
    figures.push(figure)
  }
  return figures
}
