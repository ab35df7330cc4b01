/** The accounts of the floor, which it keeps in memory, and the entries of their ledgers. */
import { script } from "@countersign/postgres/Migrations"
import { migrations } from "@countersign/postgres/PostgresStore"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { Client } from "pg"

/** Money in whole units. */
export interface Account {
  readonly organization: string
  balance: number
  held: number
  entries: number
  lastMessage: number
  lastEvent: number
  spent: number
  /** What the batch under way adds to the totals. */
  opened: number
  delivered: number
}

const topUp = 100_000_000_000

const price = 5_000

const accountOf = (organization: string): Account => ({
  organization,
  balance: topUp,
  held: 0,
  entries: 1,
  lastMessage: 0,
  lastEvent: 0,
  spent: 0,
  opened: 0,
  delivered: 0,
})

/** Creates the tables of the engine, and organizations with a sufficient balance. Returns them by their keys. */
export const prepare = async (
  url: string,
  organizations: number,
): Promise<Map<string, Account>> => {
  const ids = Array.from({ length: organizations }, (_, index) => `bench-${index}`)
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(await Effect.runPromise(script({ migrations })))
  await client.query(
    "INSERT INTO countersign.organizations (id, name, settings) SELECT id, id, '{}' FROM unnest($1::text[]) id",
    [ids],
  )
  await client.query(
    `INSERT INTO countersign.accounts (organization, version, balance, held, entries, last_message, first_message,
        last_event, first_event, last_audit, first_audit, last_refusal, last_at, checks, sends, spent_on, spent, stamp)
      SELECT id, 1, $2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, '{}', '{}', 0, 0, 0 FROM unnest($1::text[]) id`,
    [ids, topUp],
  )
  await client.query(
    `INSERT INTO countersign.entries (organization, sequence, kind, amount, balance, held, at)
      SELECT id, 1, 'top-up', $2, $2, 0, 0 FROM unnest($1::text[]) id`,
    [ids, topUp],
  )
  await client.end()
  return new Map(ids.map((id) => [`${id}_${randomBytes(32).toString("base64url")}`, accountOf(id)]))
}

/** What is sent, in the account that pays for it. */
export interface Payment {
  readonly account: Account
  /** Of the message; set by its hold. */
  sequence: number
}

/** An entry of the ledger, and the balances after it. */
export interface Booked<A extends Payment> {
  readonly one: A
  readonly entry: number
  readonly balance: number
  readonly held: number
  /** The last event of the organization. */
  readonly event: number
}

const bookedOf = <A extends Payment>(one: A): Booked<A> => {
  const { account } = one
  account.entries += 1
  const { balance, entries, held, lastEvent } = account
  return { one, entry: entries, balance, held, event: lastEvent }
}

export const hold = <A extends Payment>(one: A): Booked<A> => {
  const { account } = one
  account.balance -= price
  account.held += price
  account.opened += 1
  one.sequence = account.lastMessage += 1
  return bookedOf(one)
}

export const capture = <A extends Payment>(one: A): Booked<A> => {
  const { account } = one
  account.held -= price
  account.spent += price
  account.delivered += 1
  // The message is settled, and the verification sent.
  account.lastEvent += 2
  return bookedOf(one)
}
