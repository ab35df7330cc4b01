/** Compares the answers to clients, and the messages at the vendor, with the rows of the database. */
import * as Effect from "effect/Effect"
import { onServer, type Row } from "../../../packages/postgres/test/fixtures/onServer.ts"
import { keyOf, type Outcome } from "./Load.ts"
import type { Vendor } from "./Vendor.ts"

const texts = (row: Row, name: string): string => String(row[name])

const indexed = (rows: ReadonlyArray<Row>, name: string): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [texts(row, name), row]))

const read = (url: string) =>
  Effect.all({
    messages: onServer(
      url,
      "SELECT id, organization, sequence, text, request_id, status, hold FROM countersign.messages",
    ),
    codes: onServer(
      url,
      "SELECT request_id, status, attempts_remaining FROM countersign.verifications",
    ),
    payments: onServer(
      url,
      "SELECT payment_id, sequence FROM countersign.entries WHERE payment_id LIKE 'intent %'",
    ),
  })

export interface Compared {
  readonly problems: ReadonlyArray<string>
  /** Number of answers whose effect is in no row: a problem, unless the database may lose commits. */
  readonly lost: number
  /** Number of messages that the vendor has delivered and whose price went back, because their outcome was not found. */
  readonly unknown: number
}

export interface Expectation {
  readonly outcomes: ReadonlyMap<number, Outcome>
  readonly vendor: Vendor
  /** Whether the database may have lost the effect of an answer; `undefined`: a message that the vendor was given. */
  readonly mayLose: (outcome: Outcome | undefined) => boolean
}

const codeProblem = ({ isVerified, wrongCodes }: Outcome, row: Row): string | undefined => {
  if (isVerified === true && row["status"] !== "verified") {
    return `I8: was verified, and is ${texts(row, "status")}`
  }
  if (wrongCodes === undefined) return undefined
  const used = 3 - Number(row["attempts_remaining"])
  const { answered, open } = wrongCodes
  return used < answered || used > answered + open
    ? `I11: ${answered} wrong codes were answered and ${open} were not, and ${used} attempts are used`
    : undefined
}

export const compareAnswers = Effect.fnUntraced(function* (
  url: string,
  { mayLose, outcomes, vendor }: Expectation,
) {
  const rows = yield* read(url)
  const messages = indexed(rows.messages, "text")
  const codes = indexed(rows.codes, "request_id")
  const payments = indexed(rows.payments, "payment_id")
  const problems: Array<string> = []
  let lost = 0
  const missing = (one: Outcome | undefined, problem: string): void => {
    if (mayLose(one)) lost += 1
    else problems.push(problem)
  }
  for (const one of outcomes.values()) {
    const { answer, kind, subject } = one
    const key = keyOf(one)
    const found = {
      message: messages.get(key),
      plain: messages.get(key),
      code: codes.get(String(subject)),
      payment: payments.get(key),
    }[kind]
    if (answer === "open" && kind !== "plain") problems.push(`I22: ${key} has no answer`)
    if (answer === "refused" && found !== undefined)
      problems.push(`I8: ${key} was refused, and has a row`)
    // A code has rows in two tables, which are dropped apart.
    const isKept = kind !== "code" || rows.messages.some((row) => row["request_id"] === subject)
    if (one.isForgotten === true && found !== undefined && isKept) {
      problems.push(`I10: a repeat of ${key} found no rows, and they are there`)
    }
    // The id of a request comes with its acceptance.
    if (answer === "refused" || answer === "open" || (answer === "failed" && kind === "code"))
      continue
    if (found === undefined) {
      missing(one, `I8: ${key} was ${answer}, and has no row`)
      continue
    }
    if (kind !== "code" && subject !== undefined && String(found["sequence"]) !== String(subject)) {
      missing(one, `I8: ${key} was ${subject}, and is ${texts(found, "sequence")}`)
    }
    const problem = kind === "code" ? codeProblem(one, found) : undefined
    if (problem !== undefined) missing(one, `${problem}: ${key}`)
  }
  const gateway = compareGateway(rows.messages, vendor)
  if (!mayLose(undefined)) problems.push(...gateway.missing)
  return {
    problems: [...problems, ...gateway.problems, ...vendor.problems],
    lost: lost + gateway.missing.length,
    unknown: gateway.unknown,
  } satisfies Compared
})

/** The gateway's own count: each message that it was given is in the log, and what it has delivered is paid for. */
const compareGateway = (rows: ReadonlyArray<Row>, { ability, taken }: Vendor) => {
  const problems: Array<string> = []
  const missing: Array<string> = []
  let unknown = 0
  const messages = indexed(rows, "id")
  for (const { organization, sequence, token } of taken.values()) {
    const row = messages.get(token)
    const isSame = row?.["organization"] === organization && Number(row["sequence"]) === sequence
    if (!isSame) missing.push(`I6: ${token} was given to the vendor, and is not in the log`)
  }
  for (const [token, row] of messages) {
    const fate = taken.get(token)?.fate ?? "not taken"
    const hold = texts(row, "hold")
    if (hold === (fate === "delivered" ? "captured" : "released")) continue
    const isUnknown = fate === "delivered" && row["status"] === "unknown"
    if (isUnknown && ability !== "lookup") unknown += 1
    else
      problems.push(
        `I23: ${token} is ${fate} at the vendor, and ${texts(row, "status")}, ${hold} in the log`,
      )
  }
  return { problems, missing, unknown }
}
