/**
 * The PDUs of SMPP 3.4 between a client and its centre, as data and as bytes.
 *
 * Independent of any adapter, so that an adapter and its test centre cannot share a mistake. Reading is
 * strict: forbidden input is an error, which fails the client's test.
 */

/** An optional field: its tag and its octets. */
export interface Tlv {
  readonly tag: number
  readonly value: Uint8Array
}

/** Type of number, numbering plan, and the phone number or name. */
export interface Address {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

export type Bind = {
  readonly command: "bind_receiver" | "bind_transmitter" | "bind_transceiver"
} & Readonly<ReturnType<typeof readBind>>

export interface BindAnswer {
  readonly command: `${Bind["command"]}_resp`
  readonly systemId: string
}

/** A message in either direction. */
export type ShortMessage = { readonly command: "submit_sm" | "deliver_sm" } & Readonly<
  ReturnType<typeof readMessage>
>

export interface ShortMessageAnswer {
  readonly command: "submit_sm_resp" | "deliver_sm_resp"
  readonly messageId: string
}

/** PDUs that consist of a header only. */
export interface Bare {
  readonly command: "unbind" | "unbind_resp" | "enquire_link" | "enquire_link_resp" | "generic_nack"
}

export type Body = Bind | BindAnswer | ShortMessage | ShortMessageAnswer | Bare

export type Pdu = Body & { readonly status: number; readonly sequence: number }

type Command = Body["command"]

const ids: Readonly<Record<Command, number>> = {
  bind_receiver: 0x00000001,
  bind_receiver_resp: 0x80000001,
  bind_transmitter: 0x00000002,
  bind_transmitter_resp: 0x80000002,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
  generic_nack: 0x80000000,
}

const isCommand = (name: string): name is Command => Object.hasOwn(ids, name)

const commands: ReadonlyMap<number, Command> = new Map(
  Object.keys(ids)
    .filter(isCommand)
    .map((name) => [ids[name], name]),
)

const headerLength = 16

/** Longer than any PDU of a client. */
const maxLength = 70_000

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`, "latin1")

const address = ({ address, npi, ton }: Address): Buffer =>
  Buffer.concat([Buffer.from([ton, npi]), text(address)])

const bodyBytes = (body: Body): ReadonlyArray<Uint8Array> => {
  switch (body.command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      return [
        text(body.systemId),
        text(body.password),
        text(body.systemType),
        Buffer.from([body.interfaceVersion]),
        address(body.range),
      ]
    case "bind_receiver_resp":
    case "bind_transmitter_resp":
    case "bind_transceiver_resp":
      return [text(body.systemId)]
    case "submit_sm":
    case "deliver_sm":
      return [
        text(body.serviceType),
        address(body.source),
        address(body.destination),
        Buffer.from([body.esmClass, body.protocolId, body.priority]),
        text(body.scheduleAt),
        text(body.validity),
        Buffer.from([body.registeredDelivery, body.replaceIfPresent, body.dataCoding]),
        Buffer.from([body.defaultMessageId, body.message.byteLength]),
        body.message,
        ...body.tlvs.flatMap(({ tag, value }) => [uint16(tag), uint16(value.byteLength), value]),
      ]
    // Also written in rejections: Kannel requires it.
    case "submit_sm_resp":
    case "deliver_sm_resp":
      return [text(body.messageId)]
    default:
      return []
  }
}

/** The bytes of any command id, including undefined ones. */
export const frame = (
  id: number,
  status: number,
  sequence: number,
  ...body: ReadonlyArray<Uint8Array>
): Uint8Array => {
  const rest = Buffer.concat([uint32(id), uint32(status), uint32(sequence), ...body])
  return Buffer.concat([uint32(rest.byteLength + 4), rest])
}

/** Encodes a PDU, including its length. */
export const encode = (pdu: Pdu): Uint8Array =>
  frame(ids[pdu.command], pdu.status, pdu.sequence, ...bodyBytes(pdu))

/** Reads fields of the lengths that the specification allows. Throws on any other. */
class Reader {
  readonly #bytes: Buffer
  #at = headerLength

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.byteLength
  }

  octet(): number {
    return this.octets(1)[0] ?? 0
  }

  octets(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.byteLength) throw new RangeError("A PDU ends in the middle of a field")
    const octets = Uint8Array.from(this.#bytes.subarray(this.#at, end))
    this.#at = end
    return octets
  }

  /** @param size Most octets, including the NUL at the end. */
  text(name: string, size: number): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end === -1) throw new RangeError(`${name} has no end`)
    if (end - this.#at >= size) throw new RangeError(`${name} has more than ${size - 1} octets`)
    const text = this.#bytes.toString("latin1", this.#at, end)
    this.#at = end + 1
    return text
  }

  address(name: string, size: number): Address {
    return { ton: this.octet(), npi: this.octet(), address: this.text(name, size) }
  }

  tlvs(): ReadonlyArray<Tlv> {
    const tlvs: Array<Tlv> = []
    while (!this.isAtEnd) {
      const tag = this.octet() * 256 + this.octet()
      const length = this.octet() * 256 + this.octet()
      tlvs.push({ tag, value: this.octets(length) })
    }
    return tlvs
  }
}

const readBind = (reader: Reader) => ({
  systemId: reader.text("system_id", 16),
  password: reader.text("password", 9),
  systemType: reader.text("system_type", 13),
  interfaceVersion: reader.octet(),
  range: reader.address("address_range", 41),
})

const readMessage = (reader: Reader) => ({
  serviceType: reader.text("service_type", 6),
  source: reader.address("source_addr", 21),
  destination: reader.address("destination_addr", 21),
  esmClass: reader.octet(),
  protocolId: reader.octet(),
  priority: reader.octet(),
  scheduleAt: reader.text("schedule_delivery_time", 17),
  validity: reader.text("validity_period", 17),
  registeredDelivery: reader.octet(),
  replaceIfPresent: reader.octet(),
  dataCoding: reader.octet(),
  defaultMessageId: reader.octet(),
  message: reader.octets(reader.octet()),
  tlvs: reader.tlvs(),
})

const readBody = (reader: Reader, command: Command): Body => {
  switch (command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      return { command, ...readBind(reader) }
    case "bind_receiver_resp":
    case "bind_transmitter_resp":
    case "bind_transceiver_resp":
      return { command, systemId: reader.isAtEnd ? "" : reader.text("system_id", 16) }
    case "submit_sm":
    case "deliver_sm":
      return { command, ...readMessage(reader) }
    // Some clients omit the body of an answer.
    case "submit_sm_resp":
    case "deliver_sm_resp":
      return { command, messageId: reader.isAtEnd ? "" : reader.text("message_id", 65) }
    default:
      return { command }
  }
}

/** Decodes one PDU that fills all of the bytes. Throws if they are not a PDU. */
export const decode = (bytes: Uint8Array): Pdu => {
  const buffer = Buffer.from(bytes)
  const command = commands.get(buffer.readUInt32BE(4))
  if (command === undefined) throw new RangeError(`${buffer.readUInt32BE(4)} is no command`)
  const reader = new Reader(buffer)
  const body = readBody(reader, command)
  if (!reader.isAtEnd) throw new RangeError(`${command} goes on after its end`)
  return { ...body, status: buffer.readUInt32BE(8), sequence: buffer.readUInt32BE(12) }
}

/** Splits a stream of bytes into PDUs. Throws on an invalid length. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const frames: Array<Uint8Array> = []
    while (this.#rest.byteLength >= 4) {
      const length = this.#rest.readUInt32BE(0)
      if (length < headerLength || length > maxLength) {
        throw new RangeError(`${length} is no length of a PDU`)
      }
      if (this.#rest.byteLength < length) break
      frames.push(this.#rest.subarray(0, length))
      this.#rest = this.#rest.subarray(length)
    }
    return frames
  }
}
