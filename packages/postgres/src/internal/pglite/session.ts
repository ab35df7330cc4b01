/**
 * Runs many connections, which `@effect/sql-pg` needs, on the single session of PGlite.
 *
 * Each connection is a `Duplex` that speaks the wire protocol. The connections take turns: the messages of a
 * connection up to its last `Sync` run together. If they leave a transaction open, the connection keeps the
 * session until the transaction ends. So a transaction is as isolated as on a server, and never waits for a row
 * lock.
 *
 * Connections share the state of the session: `SET` without `LOCAL`, `LISTEN`, advisory locks that outlive their
 * transaction, and temporary tables. A notification arrives with the answer to the connection that has sent it. Each
 * connection that has listened gets a copy. Prepared statements are separate, because `@effect/sql-pg` puts a random
 * part into their names. The statements of a closed connection are dropped.
 */
import * as PgProtocol from "@effect/sql-pg/PgProtocol"
import { Duplex } from "node:stream"
import type { Engine } from "./engine.ts"

/** PGlite blocks the event loop while it runs. After this number of runs, timers and sockets get a turn. */
const runsPerTurn = 32

export class Session {
  readonly #engine: Engine
  readonly #greeting: Uint8Array
  readonly #idleInTransactionMillis: number
  readonly #open = new Set<Connection>()
  /** Connections with messages to run, in the order of their requests. */
  readonly #waiting = new Set<Connection>()
  /** The connection with an open transaction. */
  #owner: Connection | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #runsThisTurn = 0
  #failure: Error | undefined

  private constructor(engine: Engine, greeting: Uint8Array, idleInTransactionMillis: number) {
    this.#engine = engine
    this.#greeting = greeting
    this.#idleInTransactionMillis = idleInTransactionMillis
  }

  /** PGlite responds to every startup packet in the same way, so one response serves all connections. */
  static async make(engine: Engine, idleInTransactionMillis: number): Promise<Session> {
    const startup = PgProtocol.encodeStartupMessage({ user: "postgres", database: "postgres" })
    return new Session(engine, await engine.execute(startup), idleInTransactionMillis)
  }

  connect(): Duplex {
    const connection = new Connection(this.#greeting, this)
    if (this.#failure === undefined) this.#open.add(connection)
    else connection.destroy(this.#failure)
    return connection
  }

  /** Ends all connections. Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#failure ??= new Error("PGlite is closed")
    clearTimeout(this.#idleTimer)
    for (const connection of this.#open) connection.destroy()
    await this.#running
  }

  wake(connection: Connection): void {
    this.#waiting.add(connection)
    if (connection === this.#owner) clearTimeout(this.#idleTimer)
    // Deferred, because the response must not arrive inside the caller's `write`.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  async #run(): Promise<void> {
    for (let connection = this.#next(); connection !== undefined; connection = this.#next()) {
      this.#waiting.delete(connection)
      try {
        await (connection.destroyed ? this.#bury(connection) : this.#serve(connection))
      } catch (error) {
        this.#fail(error)
      }
      await this.#giveWay()
    }
    this.#running = undefined
  }

  #next(): Connection | undefined {
    if (this.#failure !== undefined) return undefined
    if (this.#owner === undefined) return this.#waiting.values().next().value
    return this.#waiting.has(this.#owner) ? this.#owner : undefined
  }

  async #serve(connection: Connection): Promise<void> {
    const messages = connection.takeRunnable()
    if (messages.length > 0) {
      const answer = await this.#engine.execute(messages)
      this.#owner = this.#engine.isInTransaction() ? connection : undefined
      if (!connection.destroyed) connection.push(answer)
      this.#notify(connection, answer)
    }
    if (connection.hasEnded) connection.destroy()
    else if (this.#owner === connection) this.#startIdleTimer(connection)
  }

  /** Passes the notifications in an answer to the other connections that listen. */
  #notify(sender: Connection, answer: Uint8Array): void {
    const others = [...this.#open].filter((one) => one !== sender && one.hasListened)
    if (others.length === 0) return
    const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
    for (let start = 0; start < bytes.length;) {
      const end = start + 1 + bytes.readInt32BE(start + 1)
      if (bytes[start] === notification) {
        for (const one of others) one.push(Buffer.from(bytes.subarray(start, end)))
      }
      start = end
    }
  }

  async #bury(connection: Connection): Promise<void> {
    if (!this.#open.delete(connection)) return
    if (this.#owner === connection) {
      await this.#engine.execute(rollback)
      this.#owner = undefined
    }
    if (connection.prepared.size === 0) return
    const drops = Array.from(connection.prepared, (name) =>
      PgProtocol.encodeClose({ target: "statement", name }),
    )
    await this.#engine.execute(Buffer.concat([...drops, PgProtocol.encodeSync()]))
  }

  /** Replaces `idle_in_transaction_session_timeout`, because single-user PostgreSQL has no timers. */
  #startIdleTimer(connection: Connection): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      if (this.#owner !== connection || this.#waiting.has(connection)) return
      connection.push(idleInTransactionError)
      connection.destroy()
    }, this.#idleInTransactionMillis)
    this.#idleTimer.unref()
  }

  async #giveWay(): Promise<void> {
    if (this.#runsThisTurn++ === 0) setImmediate(() => (this.#runsThisTurn = 0))
    if (this.#runsThisTurn >= runsPerTurn) await new Promise((resolve) => setImmediate(resolve))
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error))
    this.#failure ??= failure
    for (const connection of this.#open) connection.destroy(failure)
  }
}

/** The letter A, with which a notification begins. */
const notification = 0x41

/** Version 3.0 of the protocol, the second field of a startup packet. */
const startupCode = 196_608

/** Wakes the session when it has messages to run or has ended. */
class Connection extends Duplex {
  readonly #greeting: Uint8Array
  readonly #session: Session
  /** The prepared statements that this connection has not closed. */
  readonly prepared = new Set<string>()
  /** Whether it has ever sent LISTEN. It ignores notifications of other channels. */
  hasListened = false
  #isGreeted = false
  #received: Buffer = Buffer.alloc(0)
  /** Number of bytes of `#received` that are complete messages. */
  #scanned = 0
  /** Number of bytes that can run: up to the end of the last message that ends a cycle. */
  #runnable = 0
  hasEnded = false

  constructor(greeting: Uint8Array, session: Session) {
    super()
    this.#greeting = greeting
    this.#session = session
  }

  takeRunnable(): Uint8Array {
    const messages = this.#received.subarray(0, this.#runnable)
    this.#received = this.#received.subarray(this.#runnable)
    this.#scanned -= this.#runnable
    this.#runnable = 0
    return messages
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (!this.#isGreeted) this.#greet()
    if (this.#isGreeted) this.#scan()
    if (this.#runnable > 0) this.#session.wake(this)
    callback()
  }

  override _final(callback: () => void): void {
    this.hasEnded = true
    this.#session.wake(this)
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#received = Buffer.alloc(0)
    this.#runnable = 0
    this.#session.wake(this)
    callback(error)
  }

  /** The startup packet is the only message without a type letter before its length. */
  #greet(): void {
    if (this.#received.length < 8) return
    const length = this.#received.readInt32BE(0)
    if (this.#received.length < length) return
    if (this.#received.readInt32BE(4) !== startupCode) {
      // A request to cancel. No statement that it could cancel is ever under way.
      this.destroy()
      return
    }
    this.#received = this.#received.subarray(length)
    this.#isGreeted = true
    queueMicrotask(() => !this.destroyed && this.push(this.#greeting))
  }

  /** Finds complete messages, because PGlite loops without end on a partial message. */
  #scan(): void {
    while (this.#received.length >= this.#scanned + 5) {
      const start = this.#scanned
      const end = start + 1 + this.#received.readInt32BE(start + 1)
      if (this.#received.length < end) return
      this.#scanned = end
      const letter = this.#received.toString("latin1", start, start + 1)
      // PostgreSQL responds to Sync and to a simple query with ReadyForQuery.
      if (letter === "S" || letter === "Q") this.#runnable = end
      if (letter === "P") {
        const name = this.#text(start + 5)
        this.prepared.add(name)
        const query = start + 6 + Buffer.byteLength(name)
        this.hasListened ||= this.#received.toString("latin1", query, query + 7) === "LISTEN "
      }
      if (letter === "C") this.prepared.delete(this.#text(start + 6))
    }
  }

  #text(start: number): string {
    return this.#received.toString("utf8", start, this.#received.indexOf(0, start))
  }
}

const message = (letter: string, body: string): Buffer => {
  const frame = Buffer.alloc(5 + Buffer.byteLength(body))
  frame.write(letter, 0, "latin1")
  frame.writeInt32BE(frame.length - 1, 1)
  frame.write(body, 5, "utf8")
  return frame
}

const rollback = message("Q", "ROLLBACK\0")

/** The error that a server sends after its `idle_in_transaction_session_timeout`. */
const idleInTransactionError = message(
  "E",
  "SFATAL\0VFATAL\0C25P03\0Mterminating connection due to idle-in-transaction timeout\0\0",
)
