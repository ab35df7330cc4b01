/**
 * Runs statements on a connection in plain code, without a fiber.
 *
 * `@effect/sql-pg` opens the connection, and its pool owns it: TLS, authentication, the parser and the end are
 * there. While statements of a session are on their way, the session is the consumer of the connection's messages.
 * The statements of one call are sent in one write with one `Sync`: outside of a transaction they are one.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import { Duplex } from "node:stream"
import { Bytes } from "../rows/bytes.ts"
import type { Row } from "../rows/columns.ts"
import { connectionError, isStale, serverError, unknownError } from "./failures.ts"
import { oidOf, type Value, write } from "./parameters.ts"

export interface Statement {
  readonly sql: string
  readonly params?: ReadonlyArray<Value> | undefined
  /** Whether the statement is prepared by name. @defaultValue `true` */
  readonly prepare?: boolean
}

export interface Answer {
  /** The first word of the command, such as `ROLLBACK`. */
  readonly command: string
  readonly rows: ReadonlyArray<Row>
}

export type Answers = Exit.Exit<ReadonlyArray<Answer>, SqlError>

export interface Session {
  /** Whether the last answer left a transaction open. */
  readonly isInTransaction: boolean
  /**
   * Sends statements in one write, and calls `done` once, with their answers in order or the first error. If a value
   * cannot be encoded, nothing is sent. Further calls may follow before the answer. `done` must not throw.
   */
  readonly run: (statements: ReadonlyArray<Statement>, done: (answers: Answers) => void) => void
}

/** The members of a connection of `@effect/sql-pg` that a session uses. The types of 4.0 have none of them. */
interface Opened {
  consumer: Consumer | undefined
  readonly deadWith: SqlError | undefined
  readonly session: {
    readonly socket: Duplex
    readonly parser: { readField: PgProtocol.FieldReader<unknown> | undefined }
  }
}

interface Consumer {
  readonly onMessage: (message: PgProtocol.BackendMessage<unknown>) => void
  /** Follows the messages of a chunk. */
  readonly onBatchEnd: () => void
  /** The connection has ended. */
  readonly onFatal: (error: SqlError) => void
}

const isOpened = (connection: object): connection is Opened =>
  Predicate.hasProperty(connection, "consumer") &&
  Predicate.hasProperty(connection, "deadWith") &&
  Predicate.hasProperty(connection, "session") &&
  Predicate.hasProperty(connection.session, "socket") &&
  connection.session.socket instanceof Duplex &&
  Predicate.hasProperty(connection.session, "parser") &&
  Predicate.hasProperty(connection.session.parser, "readField")

interface Columns {
  readonly names: ReadonlyArray<string>
  readonly readField: PgProtocol.FieldReader<unknown> | undefined
}

/** A statement as it is sent. */
interface Prepared {
  /** Empty for a statement without a name. */
  readonly name: string
  readonly oids: ReadonlyArray<number>
  /** `undefined` until the server has described them. */
  columns: Columns | undefined
}

interface Run {
  readonly statements: ReadonlyArray<Statement>
  readonly prepared: ReadonlyArray<Prepared>
  readonly answers: Array<Answer>
  rows: Array<Row>
  failure: SqlError | undefined
  readonly isRepeated: boolean
  readonly done: (answers: Answers) => void
}

/** Number of statements that a connection keeps prepared. The oldest are closed. */
const maxPrepared = 100

const sessions = new WeakMap<object, Session>()

/** The session of a connection. */
export const sessionOf = (connection: PgConnection.PgConnection): Session => {
  const known = sessions.get(connection)
  if (known !== undefined) return known
  if (!isOpened(connection)) throw new Error("This version of @effect/sql-pg is not supported")
  const session = new ConnectionSession(connection)
  sessions.set(connection, session)
  return session
}

/** Makes statements on `connection` run on another session. */
export const provideSession = <A extends object>(connection: A, session: Session): A => {
  sessions.set(connection, session)
  return connection
}

const frame = new Bytes()

class ConnectionSession implements Session {
  readonly #connection: Opened
  /** Connections can share the statements of a server, as the connections of PGlite do. */
  readonly #prefix = `cs_${randomBytes(6).toString("hex")}_`
  readonly #prepared = new Map<string, Prepared>()
  /** The names of statements that the next write closes. */
  #closing: Array<string> = []
  #count = 0
  /** Those without an answer, in their order. */
  #runs: Array<Run> = []
  #answered: Array<Run> = []
  isInTransaction = false

  constructor(connection: Opened) {
    this.#connection = connection
  }

  run(
    statements: ReadonlyArray<Statement>,
    done: (answers: Answers) => void,
    isRepeated = false,
  ): void {
    const { deadWith, session } = this.#connection
    if (deadWith !== undefined) return done(Exit.fail(deadWith))
    const prepared: Array<Prepared> = []
    const closing = this.#closing
    this.#closing = []
    frame.clear()
    for (const name of closing) frame.raw(PgProtocol.encodeClose({ target: "statement", name }))
    try {
      for (const statement of statements) this.#write(statement, prepared)
    } catch (cause) {
      this.#closing.push(...closing)
      this.#closeAll((one) => isUndescribed(one) && prepared.includes(one))
      return done(Exit.fail(unknownError("A value cannot be encoded", cause)))
    }
    frame.raw(sync)
    const run = {
      statements,
      prepared,
      answers: [],
      rows: [],
      failure: undefined,
      isRepeated,
      done,
    }
    this.#runs.push(run)
    if (this.#runs.length === 1) this.#expect(run)
    this.#connection.consumer = this
    session.socket.write(frame.copy())
  }

  /** Writes the messages of a statement, after it has added it to `statements`. */
  #write({ params = [], prepare = true, sql }: Statement, statements: Array<Prepared>): void {
    const known = prepare ? this.#prepared.get(sql) : undefined
    const isKnown = known !== undefined && hasTypes(known.oids, params)
    const prepared = isKnown ? known : this.#prepare(sql, params, prepare)
    statements.push(prepared)
    if (!isKnown) frame.raw(parseOf(prepared, sql))
    writeBind(prepared.name, params)
    frame.raw(prepared.columns === undefined ? describeAndExecute : execute)
  }

  #prepare(sql: string, params: ReadonlyArray<Value>, isNamed: boolean): Prepared {
    const name = isNamed ? `${this.#prefix}${++this.#count}` : ""
    const prepared: Prepared = { name, oids: params.map(oidOf), columns: undefined }
    if (!isNamed) return prepared
    // The same text for values of other types.
    this.#close(sql)
    this.#prepared.set(sql, prepared)
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size <= maxPrepared) break
      this.#close(oldest)
    }
    return prepared
  }

  /** Closes a statement with the next write. Closing one that the server does not have has no effect. */
  #close(sql: string): void {
    const prepared = this.#prepared.get(sql)
    if (prepared === undefined) return
    this.#prepared.delete(sql)
    this.#closing.push(prepared.name)
  }

  /** Closes all statements for which `isLost` holds. */
  #closeAll(isLost: (prepared: Prepared) => boolean): void {
    for (const [sql, prepared] of this.#prepared) if (isLost(prepared)) this.#close(sql)
  }

  /** Makes the parser read the rows of the run's next statement. */
  #expect(run: Run | undefined): void {
    const columns = run?.prepared[run.answers.length]?.columns
    this.#connection.session.parser.readField = columns?.readField
  }

  readonly onMessage = (message: PgProtocol.BackendMessage<unknown>): void => {
    const run = this.#runs[0]
    const prepared = run?.prepared[run.answers.length]
    switch (message._tag) {
      case "CloseComplete":
      case "ParseComplete":
      case "BindComplete":
        return
      case "RowDescription":
        if (run === undefined || prepared === undefined) break
        prepared.columns = columnsOf(message)
        return this.#expect(run)
      case "NoData":
        if (prepared === undefined) break
        prepared.columns = noColumns
        return
      case "DataRow":
        if (run === undefined || prepared?.columns === undefined) break
        run.rows.push(rowOf(prepared.columns.names, message.values))
        return
      case "CommandComplete":
      case "EmptyQueryResponse": {
        if (run === undefined) break
        const tag = message._tag === "CommandComplete" ? message.commandTag : ""
        const [command = ""] = tag.split(" ", 1)
        run.failure ??= rollbackOf(run.statements[run.answers.length]?.sql, command)
        run.answers.push({ command, rows: run.rows })
        run.rows = []
        return this.#expect(run)
      }
      case "ErrorResponse":
        if (run === undefined) break
        run.failure = serverError(message.fields)
        return
      case "ReadyForQuery":
        if (run === undefined || (prepared !== undefined && run.failure === undefined)) break
        this.isInTransaction = message.status !== "I"
        this.#runs.shift()
        this.#answered.push(run)
        return this.#expect(this.#runs[0])
    }
    // What follows in the chunk must not complete the run.
    const error = connectionError(`Unexpected ${message._tag}`)
    if (run !== undefined) run.failure = error
    this.#connection.session.socket.destroy(error)
  }

  readonly onBatchEnd = (): void => {
    if (this.#answered.length === 0) return
    if (this.#runs.length === 0) this.#connection.consumer = undefined
    const answered = this.#answered
    this.#answered = []
    for (const run of answered) this.#answer(run)
  }

  readonly onFatal = (error: SqlError): void => {
    const runs = [...this.#answered, ...this.#runs.map((run) => ({ ...run, failure: error }))]
    this.#answered = []
    this.#runs = []
    for (const run of runs) this.#answer(run)
  }

  #answer({ answers, done, failure, isRepeated, prepared, statements }: Run): void {
    if (failure === undefined) return done(Exit.succeed(answers))
    const isLost = isStale(failure)
    // After an error, the server may not have those that it has not described.
    this.#closeAll((one) => isLost || (isUndescribed(one) && prepared.includes(one)))
    // None of the statements has taken effect.
    if (isLost && !this.isInTransaction && !isRepeated) return this.run(statements, done, true)
    done(Exit.fail(failure))
  }
}

const hasTypes = (oids: ReadonlyArray<number>, params: ReadonlyArray<Value>): boolean => {
  for (let index = 0; index < oids.length; index++) {
    if (oidOf(params[index]) !== oids[index]) return false
  }
  return oids.length === params.length
}

const isUndescribed = ({ columns }: Prepared): boolean => columns === undefined

const noColumns: Columns = { names: [], readField: undefined }

/** Throws for a column that cannot be read, which ends the connection. */
const columnsOf = ({ fields }: PgProtocol.RowDescription): Columns => ({
  names: fields.map(({ name }) => name),
  readField: Result.getOrThrow(PgTypes.makeFieldReader(fields)),
})

const rowOf = (names: ReadonlyArray<string>, values: ReadonlyArray<unknown>): Row => {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < names.length; index++) row[names[index] ?? ""] = values[index]
  return row
}

/** The error of a `COMMIT` that rolled back. */
export const rollbackOf = (sql: string | undefined, command: string): SqlError | undefined =>
  sql === "COMMIT" && command === "ROLLBACK"
    ? unknownError("COMMIT rolled back a transaction that had failed before")
    : undefined

const parseOf = ({ name, oids }: Pick<Prepared, "name" | "oids">, query: string): Uint8Array =>
  Result.getOrThrow(PgProtocol.encodeParse({ name, query, parameterTypes: oids }))

/** Binds to the unnamed portal. All parameters are in the binary format, and so are the results unless `isText`. */
const writeBind = (name: string, params: ReadonlyArray<Value>, isText = false): void => {
  frame.byte(0x42)
  const start = frame.begin()
  frame.byte(0)
  frame.cString(name)
  frame.int16(1)
  frame.int16(1)
  frame.int16(params.length)
  for (const value of params) write(frame, value)
  frame.int16(1)
  frame.int16(isText ? 0 : 1)
  frame.end(start, 4)
}

/** The messages of statements without names, whose results are text. Throws if a value cannot be encoded. */
export const textFrame = (statements: ReadonlyArray<Statement>): Uint8Array => {
  frame.clear()
  for (const { params = [], sql } of statements) {
    frame.raw(parseOf({ name: "", oids: params.map(oidOf) }, sql))
    writeBind("", params, true)
    frame.raw(describeAndExecute)
  }
  frame.raw(sync)
  return frame.copy()
}

const execute = PgProtocol.encodeExecute({ portal: "", maxRows: 0 })
const describeAndExecute = Buffer.concat([
  PgProtocol.encodeDescribe({ target: "portal", name: "" }),
  execute,
])
const sync = PgProtocol.encodeSync()
