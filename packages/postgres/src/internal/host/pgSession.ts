/**
 * Runs statements on a client of `pg`, all statements of a call in one write.
 *
 * `pg` lets a query object write its own messages, as `pg-cursor` does. The parameters are in the binary format, which
 * the store writes. The results are text, because `pg` reads no binary results. No type parser of the host applies.
 */
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../rows/columns.ts"
import { sqlState, unknownError } from "../connection/failures.ts"
import {
  type Answer,
  type Answers,
  rollbackOf,
  type Statement,
  textFrame,
} from "../connection/session.ts"
import { type HostSession, loanError, statementError } from "./hostSession.ts"
import { readText } from "./textFormat.ts"

interface PgConnection {
  readonly stream: { readonly write: (bytes: Uint8Array) => unknown }
}

export interface PgClient {
  readonly connection: PgConnection
  readonly pipeline?: unknown
  query(batch: Batch): unknown
  release(destroy?: boolean): void
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
}

/** A client of `pg-native` has no connection, and one with `pipeline` takes no query object. */
export const isClient = (client: object): client is PgClient =>
  Predicate.hasProperty(client, "connection") &&
  Predicate.hasProperty(client.connection, "stream") &&
  Predicate.hasProperty(client, "query") &&
  Predicate.hasProperty(client, "removeListener") &&
  !(Predicate.hasProperty(client, "pipeline") && client.pipeline === true)

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** The SQLSTATE of a statement in a transaction that has failed. */
const failedTransaction = "25P02"

const aborted = new Error("The host has given back a connection in a transaction that has failed")

export class PgSession implements HostSession {
  readonly #client: PgClient
  isInTransaction = false
  isBroken = false

  constructor(client: PgClient) {
    this.#client = client
  }

  run(statements: ReadonlyArray<Statement>, done: (answers: Answers) => void): void {
    let bytes: Uint8Array
    try {
      bytes = textFrame(statements)
    } catch (cause) {
      return done(Exit.fail(unknownError("A value cannot be encoded", cause)))
    }
    const batch = new Batch(bytes, statements, (answers, error) => {
      for (const { command } of answers) {
        if (command === "BEGIN") this.isInTransaction = true
        if (command === "COMMIT" || command === "ROLLBACK") this.isInTransaction = false
      }
      if (error === undefined) return done(Exit.succeed(answers))
      const isAborted = !this.isInTransaction && sqlState(error) === failedTransaction
      if (isAborted || error.reason._tag === "ConnectionError") this.isBroken = true
      done(Exit.fail(isAborted ? loanError(aborted) : error))
    })
    this.#client.query(batch)
  }
}

/** A query object of `pg`, which calls the methods. */
class Batch {
  readonly #bytes: Uint8Array
  readonly #statements: ReadonlyArray<Statement>
  readonly #done: (answers: ReadonlyArray<Answer>, error?: SqlError) => void
  readonly #answers: Array<Answer> = []
  #fields: ReadonlyArray<Field> = []
  #rows: Array<Row> = []
  #failure: SqlError | undefined
  #isOver = false
  /** `pg` sets it if the host has a `query_timeout`, and ends the timer when it is called. */
  callback: ((error: unknown) => void) | undefined

  constructor(
    bytes: Uint8Array,
    statements: ReadonlyArray<Statement>,
    done: (answers: ReadonlyArray<Answer>, error?: SqlError) => void,
  ) {
    this.#bytes = bytes
    this.#statements = statements
    this.#done = done
  }

  submit({ stream }: PgConnection): void {
    stream.write(this.#bytes)
  }

  handleRowDescription({ fields }: { readonly fields: ReadonlyArray<Field> }): void {
    this.#fields = fields
  }

  handleDataRow({ fields }: { readonly fields: ReadonlyArray<string | null> }): void {
    const row: Record<string, unknown> = {}
    for (const [index, { dataTypeID, name }] of this.#fields.entries()) {
      row[name] = readText(dataTypeID, fields[index] ?? null)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const [command = ""] = text.split(" ", 1)
    this.#failure ??= rollbackOf(this.#statements[this.#answers.length]?.sql, command)
    this.#answers.push({ command, rows: this.#rows })
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.#answers.push({ command: "", rows: [] })
  }

  handleReadyForQuery(): void {
    this.#end(this.#failure)
  }

  handleError(error: unknown): void {
    this.#end(statementError(error))
  }

  #end(error: SqlError | undefined): void {
    // After its `query_timeout`, `pg` goes on with the query.
    if (this.#isOver) return
    this.#isOver = true
    this.callback?.(undefined)
    this.#done(this.#answers, error)
  }
}
