/**
 * Runs statements on a driver of the host that has `query` and `transaction`, one after another.
 *
 * Each parameter is a text, which the statement casts to its type. The driver reads the results.
 */
import * as Exit from "effect/Exit"
import { isSqlError } from "effect/sql/SqlError"
import type { HostDriver, HostQueries } from "../../HostPool.ts"
import { unknownError } from "../connection/failures.ts"
import { oidOf, type Value } from "../connection/parameters.ts"
import { begin, commit, rollback } from "../connection/pipeline.ts"
import type { Answer, Answers, Statement } from "../connection/session.ts"
import type { Row } from "../rows/columns.ts"
import {
  type HostSession,
  loanError,
  loanTimeout,
  noneFree,
  statementError,
} from "./hostSession.ts"
import { textOf, typeNames, withCasts } from "./textFormat.ts"

interface Transaction {
  readonly queries: HostQueries
  readonly commit: () => void
  readonly rollback: (reason: Error) => void
}

const endedEarly = new Error(
  "transaction has resolved before the transaction of the engine: it must wait for the promise of its argument",
)

const rolledBack = new Error("The engine has rolled back its transaction")

const readType = `SELECT quote_ident(n.nspname) || '.' || quote_ident(t.typname) AS name
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = $1::text::oid`

export class DriverSession implements HostSession {
  readonly isBroken = false
  readonly #driver: HostDriver
  /** The names of types that the sessions of a driver have read. */
  readonly #types: Map<number, string>
  #open: Transaction | undefined
  /** Settles after the driver has ended the transaction. */
  #ended: Promise<unknown> = Promise.resolve()
  #last: Promise<void> = Promise.resolve()

  constructor(driver: HostDriver, types: Map<number, string>) {
    this.#driver = driver
    this.#types = types
  }

  get isInTransaction(): boolean {
    return this.#open !== undefined
  }

  run(statements: ReadonlyArray<Statement>, done: (answers: Answers) => void): void {
    this.#last = this.#last.then(async () => done(await this.#answersOf(statements)))
  }

  /** Rolls an open transaction back. */
  async close(): Promise<void> {
    const open = this.#open
    this.#open = undefined
    open?.rollback(rolledBack)
    await this.#ended.catch(() => undefined)
  }

  async #answersOf(statements: ReadonlyArray<Statement>): Promise<Answers> {
    const answers: Array<Answer> = []
    let encoded: ReadonlyArray<Array<string | null>>
    try {
      encoded = statements.map(({ params = [] }) => params.map(textOf))
    } catch (cause) {
      return Exit.fail(unknownError("A value cannot be encoded", cause))
    }
    try {
      for (const [index, { params = [], sql }] of statements.entries()) {
        answers.push(await this.#answerOf(sql, params, encoded[index] ?? []))
      }
      return Exit.succeed(answers)
    } catch (error) {
      await this.close()
      return Exit.fail(isSqlError(error) ? error : statementError(error))
    }
  }

  async #answerOf(
    sql: string,
    params: ReadonlyArray<Value>,
    encoded: Array<string | null>,
  ): Promise<Answer> {
    switch (sql) {
      case begin.sql:
        await this.#begin()
        return { command: sql, rows: [] }
      case commit.sql: {
        const open = this.#open
        this.#open = undefined
        open?.commit()
        await this.#ended
        return { command: sql, rows: [] }
      }
      case rollback.sql:
        await this.close()
        return { command: sql, rows: [] }
    }
    for (const oid of params.map(oidOf)) {
      if (typeNames.has(oid) || this.#types.has(oid)) continue
      const [row] = await this.#query(readType, [String(oid)])
      this.#types.set(oid, String(row?.["name"]))
    }
    const types = this.#types
    const text = withCasts(sql, params, (oid) => typeNames.get(oid) ?? types.get(oid) ?? "text")
    return { command: "", rows: await this.#query(text, encoded) }
  }

  async #query(text: string, values: Array<string | null>): Promise<ReadonlyArray<Row>> {
    const found = await (this.#open?.queries ?? this.#driver).query(text, values)
    return "rows" in found ? found.rows : found
  }

  /** The driver has ended the open transaction: further statements would run on their own. */
  #lose(error: unknown): void {
    if (this.#open === undefined) return
    const query = () => Promise.reject(error)
    const commit = () => {
      throw error
    }
    this.#open = { ...this.#open, queries: { query }, commit }
  }

  #begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      let isLate = false
      let hasBegun = false
      const fail = (error: unknown): void => {
        if (hasBegun) return this.#lose(error)
        isLate = true
        clearTimeout(timer)
        // The driver may go on waiting, for the caller of this session even.
        this.#ended = Promise.resolve()
        reject(loanError(error))
      }
      const timer = setTimeout(() => fail(noneFree), loanTimeout)
      const transaction = async (queries: HostQueries) => {
        clearTimeout(timer)
        if (isLate) throw noneFree
        hasBegun = true
        await new Promise<void>((commit, rollback) => {
          this.#open = { queries, commit, rollback }
          resolve()
        })
      }
      try {
        this.#ended = this.#driver.transaction(transaction)
        this.#ended.then(() => fail(endedEarly), fail)
      } catch (error) {
        fail(error)
      }
    })
  }
}
