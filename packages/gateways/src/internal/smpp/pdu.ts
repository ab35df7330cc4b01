/**
 * The PDUs of SMPP 3.4 between a client and its centre.
 *
 * Reading is lenient where centres are known to deviate: an answer without its body, an id that is too long. It is also
 * total: any bytes give a PDU or a problem. Writing keeps to the lengths of the specification.
 */
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"

/** Decodes each octet as one character. */
export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")

/** Whether every character fits into an octet and none is NUL. */
const isLatin1 = (text: string): boolean =>
  Array.from(text).every((letter) => letter > "\0" && letter <= "\u00ff")

/** Reads octets. A missing field reads as empty and sets `failed`; check that at the end. */
class Reader {
  readonly #bytes: Uint8Array
  #at: number
  failed = false

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes
    this.#at = from
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.byteLength
  }

  octets(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.byteLength) this.failed = true
    if (this.failed) return new Uint8Array()
    this.#at += length
    return this.#bytes.slice(this.#at - length, this.#at)
  }

  number(size: 1 | 2): number {
    return this.octets(size).reduce((value, octet) => value * 256 + octet, 0)
  }

  /** Reads a text that ends with NUL. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end === -1) this.failed = true
    const text = latin1(this.octets(end - this.#at))
    this.octets(1)
    return text
  }
}

class Writer {
  readonly #octets: Array<number> = []
  /** The first field that does not fit. */
  problem: string | undefined

  octets(bytes: Uint8Array): void {
    for (const byte of bytes) this.#octets.push(byte)
  }

  number(name: string, value: number, size: 1 | 2 | 4): void {
    if (!Number.isInteger(value) || value < 0 || value >= 256 ** size) this.problem ??= name
    for (let shift = size - 1; shift >= 0; shift--) {
      this.#octets.push(Math.floor(value / 256 ** shift) % 256)
    }
  }

  /** Writes a text of at most `size` octets, including the NUL at its end. */
  text(name: string, value: string, size: number): void {
    if (value.length >= size || !isLatin1(value)) this.problem ??= name
    for (let index = 0; index < value.length; index++) this.#octets.push(value.charCodeAt(index))
    this.#octets.push(0)
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#octets)
  }
}

interface Codec<A> {
  readonly read: (reader: Reader) => A
  readonly write: (writer: Writer, value: A) => void
}

const octet = (name: string): Codec<number> => ({
  read: (reader) => reader.number(1),
  write: (writer, value) => writer.number(name, value, 1),
})

/** @param size The octets of the field, including the NUL at its end. */
const text = (name: string, size: number): Codec<string> => ({
  read: (reader) => reader.text(),
  write: (writer, value) => writer.text(name, value, size),
})

/** A text that may be missing at the end: rejections, and the answers of some centres, have no body. */
const textIfAny = (name: string, size: number): Codec<string> => ({
  ...text(name, size),
  read: (reader) => (reader.isAtEnd ? "" : reader.text()),
})

/** Octets after their number. */
const counted = (name: string, maxLength: number): Codec<Uint8Array> => ({
  read: (reader) => reader.octets(reader.number(1)),
  write: (writer, value) => {
    writer.number(name, value.byteLength > maxLength ? Number.NaN : value.byteLength, 1)
    writer.octets(value)
  },
})

/** An optional field of a PDU: a tag, and a value whose format depends on the tag. */
export interface Tlv {
  readonly tag: number
  readonly value: Uint8Array
}

/** All remaining optional fields. */
const tlvs: Codec<ReadonlyArray<Tlv>> = {
  read: (reader) => {
    const all: Array<Tlv> = []
    while (!reader.failed && !reader.isAtEnd) {
      all.push({ tag: reader.number(2), value: reader.octets(reader.number(2)) })
    }
    return all
  },
  write: (writer, all) => {
    for (const { tag, value } of all) {
      writer.number("tag", tag, 2)
      writer.number("length", value.byteLength, 2)
      writer.octets(value)
    }
  },
}

interface Read extends Struct.Lambda {
  <A>(codec: Codec<A>): A
  readonly "~lambda.out": this["~lambda.in"] extends Codec<infer A> ? A : never
}

/** Fields in the order of the bytes. */
const struct = <A extends object>(fields: { readonly [K in keyof A]: Codec<A[K]> }) => ({
  read: (reader: Reader) =>
    Struct.map(
      fields,
      Struct.lambda<Read>((codec) => codec.read(reader)),
    ),
  write: (writer: Writer, value: A): void => {
    for (const key of Struct.keys(fields)) fields[key].write(writer, value[key])
  },
})

/** An address: type of number, numbering plan, and the phone number or name. */
const address = (name: string, size: number) =>
  struct({ ton: octet(`${name}_ton`), npi: octet(`${name}_npi`), address: text(name, size) })

const bind = struct({
  systemId: text("system_id", 16),
  password: text("password", 9),
  systemType: text("system_type", 13),
  interfaceVersion: octet("interface_version"),
  range: address("address_range", 41),
})

const bindAnswer = struct({ systemId: textIfAny("system_id", 16), tlvs })

const shortMessage = struct({
  serviceType: text("service_type", 6),
  source: address("source_addr", 21),
  destination: address("destination_addr", 21),
  esmClass: octet("esm_class"),
  protocolId: octet("protocol_id"),
  priority: octet("priority_flag"),
  /** Empty, or 16 characters `YYMMDDhhmmsstnnp`. */
  scheduleAt: text("schedule_delivery_time", 17),
  /** Same format as `scheduleAt`; `000000000500000R` is five minutes from now. */
  validity: text("validity_period", 17),
  registeredDelivery: octet("registered_delivery"),
  replaceIfPresent: octet("replace_if_present_flag"),
  dataCoding: octet("data_coding"),
  defaultMessageId: octet("sm_default_msg_id"),
  // 255 fits into the octet, but the specification forbids it.
  message: counted("short_message", 254),
  tlvs,
})

// Also written in rejections, although the specification omits it there: Kannel requires it.
const shortMessageAnswer = struct({ messageId: textIfAny("message_id", 65), tlvs })

/** The body of a PDU that consists of a header only. */
const empty = struct<object>({})

/** The id and the body of each command. */
const commands = {
  generic_nack: { id: 0x80000000, body: empty },
  bind_receiver: { id: 0x00000001, body: bind },
  bind_receiver_resp: { id: 0x80000001, body: bindAnswer },
  bind_transmitter: { id: 0x00000002, body: bind },
  bind_transmitter_resp: { id: 0x80000002, body: bindAnswer },
  submit_sm: { id: 0x00000004, body: shortMessage },
  submit_sm_resp: { id: 0x80000004, body: shortMessageAnswer },
  deliver_sm: { id: 0x00000005, body: shortMessage },
  deliver_sm_resp: { id: 0x80000005, body: shortMessageAnswer },
  unbind: { id: 0x00000006, body: empty },
  unbind_resp: { id: 0x80000006, body: empty },
  bind_transceiver: { id: 0x00000009, body: bind },
  bind_transceiver_resp: { id: 0x80000009, body: bindAnswer },
  enquire_link: { id: 0x00000015, body: empty },
  enquire_link_resp: { id: 0x80000015, body: empty },
} as const

type Command = keyof typeof commands

type Type<C extends Pick<Codec<unknown>, "read">> = Readonly<ReturnType<C["read"]>>

type Fields = { readonly [C in Command]: Type<(typeof commands)[C]["body"]> }

type BodyOf<C extends Command> = { readonly [K in C]: { readonly command: K } & Fields[K] }[C]

/** `commands`, typed so that the command of a body selects the codec of that body. */
const table: { readonly [C in Command]: { readonly id: number; readonly body: Codec<Fields[C]> } } =
  commands

export type Body = BodyOf<Command>

export type Address = Type<ReturnType<typeof address>>

export type Bind = BodyOf<"bind_receiver" | "bind_transmitter" | "bind_transceiver">

/** A message in either direction. */
export type ShortMessage = BodyOf<"submit_sm" | "deliver_sm">

export type Pdu = Body & {
  /** 0 in requests; the result of the request in answers. */
  readonly status: number
  /** 1 to 2,147,483,647; the same in a request and its answer. */
  readonly sequence: number
}

/** Why bytes are not a PDU, and how to answer them. */
interface PduProblem {
  /** Status for the `generic_nack`, or for the answer to an unreadable request. */
  readonly status: number
  readonly sequence: number
  /** An answer has a sequence of ours. A nack of it would refer to the peer's request with this sequence. */
  readonly isAnswer: boolean
}

export const headerLength = 16

/** Longest PDU that is read, in octets. A `message_payload` may have 65,535. */
export const maxPduLength = 70_000

const commandOf: ReadonlyMap<number, Command> = new Map(
  Struct.keys(commands).map((name) => [commands[name].id, name]),
)

/** ESME_RINVCMDLEN: the length is invalid, or the body is shorter than its fields. */
const invalidLength = 0x02

/** Command ids from here on are answers. */
const firstAnswer = 0x80000000

export const isAnswer = (pdu: Body): boolean => commands[pdu.command].id >= firstAnswer

/** Encodes a PDU, including its length. Fails with the name of a field that does not fit. */
export const encode = (pdu: Pdu): Result.Result<Uint8Array, string> => {
  const writer = new Writer()
  writer.number("command_id", commands[pdu.command].id, 4)
  writer.number("command_status", pdu.status, 4)
  writer.number("sequence_number", pdu.sequence, 4)
  writeBody(writer, pdu)
  const rest = writer.bytes()
  const bytes = new Uint8Array(rest.byteLength + 4)
  new DataView(bytes.buffer).setUint32(0, bytes.byteLength)
  bytes.set(rest, 4)
  const field = writer.problem ?? (bytes.byteLength > maxPduLength ? "command_length" : undefined)
  return field === undefined ? Result.succeed(bytes) : Result.fail(field)
}

const writeBody = <C extends Command>(
  writer: Writer,
  body: { readonly command: C } & Fields[C],
): void => table[body.command].body.write(writer, body)

/** Decodes one PDU that fills all of the bytes. */
export const decode = (bytes: Uint8Array): Result.Result<Pdu, PduProblem> => {
  if (bytes.byteLength < headerLength || bytes.byteLength > maxPduLength) {
    return Result.fail({ status: invalidLength, sequence: 0, isAnswer: false })
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const id = view.getUint32(4)
  const isAnswer = id >= firstAnswer
  const status = view.getUint32(8)
  const sequence = view.getUint32(12)
  const problem = (status: number) => Result.fail({ status, sequence, isAnswer })
  if (view.getUint32(0) !== bytes.byteLength) return problem(invalidLength)
  const command = commandOf.get(id)
  // ESME_RINVCMDID
  if (command === undefined) return problem(0x03)
  const reader = new Reader(bytes, headerLength)
  const body = readBody(reader, command)
  return reader.failed ? problem(invalidLength) : Result.succeed({ ...body, status, sequence })
}

const readBody = <C extends Command>(reader: Reader, command: C): BodyOf<C> => ({
  command,
  ...table[command].body.read(reader),
})

/** Collects input until a PDU is complete. Holds at most one PDU and one chunk. */
export class Frames {
  #rest: Uint8Array = new Uint8Array()
  /** Whether a length was invalid. The rest of the stream is unreadable then. */
  isBroken = false

  /** Returns the completed PDUs, including those before an invalid length. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    if (this.isBroken) return []
    const bytes = this.#rest.byteLength === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const frames: Array<Uint8Array> = []
    let at = 0
    while (bytes.byteLength - at >= 4) {
      const length = view.getUint32(at)
      if (length < headerLength || length > maxPduLength) {
        this.isBroken = true
        return frames
      }
      if (bytes.byteLength - at < length) break
      frames.push(bytes.subarray(at, at + length))
      at += length
    }
    this.#rest = bytes.slice(at)
    return frames
  }
}
