/**
 * A connection to PostgreSQL that speaks the protocol by hand: prepared statements with binary parameters, one at
 * a time. `pg` only opens it, because there are many ways to log in.
 */
import { Socket } from "node:net"
import { Client } from "pg"

/** Appends the parameters of a statement in the binary format. */
export class Parameters {
  #buffer = Buffer.allocUnsafe(65_536)
  #end = 0
  #count = 0
  /** The place of the number of parameters, which stands before them. */
  #countAt = 0

  /** Restarts with the head of a Bind message: its type, room for its length, an unnamed portal, the statement. */
  begin(statement: string): void {
    this.#end = 0
    this.#count = 0
    const name = this.#room(64)
    this.#end = name + 6
    this.#end += this.#buffer.write(statement, this.#end, "latin1")
    this.#buffer[name] = 0x42
    this.#buffer[name + 5] = 0
    this.#buffer[this.#end++] = 0
  }

  int8(value: number): void {
    this.#start()
    this.#int4(8)
    this.#int8(value)
  }

  int8s(values: ReadonlyArray<number>): void {
    this.#array(20, values, (value) => {
      this.#int4(8)
      this.#int8(value)
    })
  }

  texts(values: ReadonlyArray<string>): void {
    this.#array(25, values, (value) => {
      const length = Buffer.byteLength(value)
      this.#int4(length)
      const at = this.#room(length)
      this.#end += this.#buffer.write(value, at)
    })
  }

  byteas(values: ReadonlyArray<Uint8Array>): void {
    this.#array(17, values, (value) => {
      this.#int4(value.length)
      const at = this.#room(value.length)
      this.#buffer.set(value, at)
      this.#end += value.length
    })
  }

  /** Returns the Bind message, with an Execute and a Sync behind it. Valid until the next `begin`. */
  finish(): Buffer {
    // The results are text.
    this.#int2(0)
    this.#buffer.writeInt32BE(this.#end - 1, 1)
    const tail = this.#room(executeAndSync.length)
    this.#buffer.set(executeAndSync, tail)
    return this.#buffer.subarray(0, tail + executeAndSync.length)
  }

  #array<A>(oid: number, values: ReadonlyArray<A>, write: (value: A) => void): void {
    this.#start()
    const length = this.#room(4)
    this.#end += 4
    this.#int4(values.length === 0 ? 0 : 1)
    this.#int4(0)
    this.#int4(oid)
    if (values.length > 0) {
      this.#int4(values.length)
      this.#int4(1)
      for (const value of values) write(value)
    }
    this.#buffer.writeInt32BE(this.#end - length - 4, length)
  }

  /** All parameters are binary: the first writes one format for all. */
  #start(): void {
    if (this.#count === 0) {
      this.#int2(1)
      this.#int2(1)
      this.#countAt = this.#end
      this.#int2(0)
    }
    this.#count += 1
    this.#buffer.writeInt16BE(this.#count, this.#countAt)
  }

  #int2(value: number): void {
    const at = this.#room(2)
    this.#end = this.#buffer.writeInt16BE(value, at)
  }

  #int4(value: number): void {
    const at = this.#room(4)
    this.#end = this.#buffer.writeInt32BE(value, at)
  }

  #int8(value: number): void {
    const at = this.#room(8)
    this.#buffer.writeInt32BE(Math.floor(value / 0x1_0000_0000), at)
    this.#end = this.#buffer.writeUInt32BE(value >>> 0, at + 4)
  }

  /** Makes room for this many bytes, and returns their place. Can replace the buffer. */
  #room(bytes: number): number {
    if (this.#end + bytes > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer, Buffer.allocUnsafe(this.#buffer.length + bytes)])
    }
    return this.#end
  }
}

/** `E`, an unnamed portal, all rows; `S`. */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])

/** The values of a row as text; `undefined` for NULL. */
type Row = ReadonlyArray<string | undefined>

export interface FloorConnection {
  /** Runs a prepared statement in a transaction of its own. Only one at a time. */
  readonly run: (
    statement: string,
    write: (parameters: Parameters) => void,
  ) => Promise<ReadonlyArray<Row>>
}

const dataRow = 0x44
const errorResponse = 0x45
const readyForQuery = 0x5a

const rowOf = (chunk: Buffer, start: number): Row => {
  const count = chunk.readInt16BE(start)
  const row: Array<string | undefined> = []
  let at = start + 2
  for (let column = 0; column < count; column++) {
    const length = chunk.readInt32BE(at)
    at += 4
    row.push(length < 0 ? undefined : chunk.toString("utf8", at, at + length))
    at += Math.max(0, length)
  }
  return row
}

/** Takes the answers apart, and gives the rows to `onEnd` once the server is ready again. */
const reader = (onEnd: (rows: ReadonlyArray<Row>, error: string | undefined) => void) => {
  let rest: Buffer = Buffer.alloc(0)
  let rows: Array<Row> = []
  let error: string | undefined
  return (received: Buffer): void => {
    const chunk = rest.length === 0 ? received : Buffer.concat([rest, received])
    let at = 0
    while (chunk.length - at >= 5) {
      const next = at + 1 + chunk.readInt32BE(at + 1)
      if (next > chunk.length) break
      const type = chunk[at]
      if (type === dataRow) rows.push(rowOf(chunk, at + 5))
      else if (type === errorResponse) error = chunk.toString("utf8", at + 5, next)
      else if (type === readyForQuery) {
        onEnd(rows, error)
        rows = []
        error = undefined
      }
      at = next
    }
    rest = chunk.subarray(at)
  }
}

/** Connects, and prepares the statements under their names. */
export const connect = async (
  url: string,
  statements: Readonly<Record<string, string>>,
): Promise<FloorConnection> => {
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    stream: () => socket,
    // Each statement needs its index, even if the table has few rows at the moment.
    options:
      "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan -c jit=off",
  })
  await client.connect()
  for (const [name, sql] of Object.entries(statements)) {
    await client.query(`PREPARE floor_${name} ${sql}`)
  }
  const parameters = new Parameters()
  let settle: (rows: ReadonlyArray<Row>, error: string | undefined) => void = () => {}
  // From here on the socket is not the client's any more.
  socket.removeAllListeners("data")
  socket.on(
    "data",
    reader((rows, error) => settle(rows, error)),
  )
  return {
    run: (statement, write) =>
      new Promise((resolve, reject) => {
        settle = (rows, error) => (error === undefined ? resolve(rows) : reject(new Error(error)))
        parameters.begin(`floor_${statement}`)
        write(parameters)
        socket.write(parameters.finish())
      }),
  }
}
