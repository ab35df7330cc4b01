/**
 * The PDUs of SMPP 3.4 between a client and its centre, as data and as bytes.
 *
 * Reading is lenient where centres are known to deviate (an answer without its body, an id that is too long)
 * and total: any bytes give a PDU or a problem. Writing keeps to the lengths of the specification.
 */
import * as Result from "effect/Result"
import { Reader, type Tlv, Writer } from "./octets.ts"

const commandIds = {
  generic_nack: 0x80000000,
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
} as const

export type Command = keyof typeof commandIds

/** An address: type of number, numbering plan, and the phone number or name. */
export interface Address {
  readonly ton: number
  readonly npi: number
  /** At most 20 octets; at most 40 for the address range of a bind. */
  readonly address: string
}

export interface Bind {
  readonly command: "bind_receiver" | "bind_transmitter" | "bind_transceiver"
  /** At most 15 octets. */
  readonly systemId: string
  /** At most 8 octets. */
  readonly password: string
  /** At most 12 octets. */
  readonly systemType: string
  readonly interfaceVersion: number
  readonly range: Address
}

export interface BindAnswer {
  readonly command: `${Bind["command"]}_resp`
  readonly systemId: string
  readonly tlvs: ReadonlyArray<Tlv>
}

/** A message in either direction. */
export interface ShortMessage {
  readonly command: "submit_sm" | "deliver_sm"
  readonly serviceType: string
  readonly source: Address
  readonly destination: Address
  readonly esmClass: number
  readonly protocolId: number
  readonly priority: number
  /** Empty, or 16 characters `YYMMDDhhmmsstnnp`. */
  readonly scheduleAt: string
  /** Same format as `scheduleAt`; `000000000500000R` is five minutes from now. */
  readonly validity: string
  readonly registeredDelivery: number
  readonly replaceIfPresent: number
  readonly dataCoding: number
  readonly defaultMessageId: number
  /** At most 254 octets. */
  readonly message: Uint8Array
  readonly tlvs: ReadonlyArray<Tlv>
}

export interface ShortMessageAnswer {
  readonly command: "submit_sm_resp" | "deliver_sm_resp"
  /** At most 64 octets. Empty in a rejection, and in every `deliver_sm_resp`. */
  readonly messageId: string
  readonly tlvs: ReadonlyArray<Tlv>
}

/** PDUs that consist of a header only. */
export interface Bare {
  readonly command: "unbind" | "unbind_resp" | "enquire_link" | "enquire_link_resp" | "generic_nack"
}

export type Body = Bind | BindAnswer | ShortMessage | ShortMessageAnswer | Bare

export type Pdu = Body & {
  /** 0 in requests; the result of the request in answers. */
  readonly status: number
  /** 1 to 2,147,483,647; the same in a request and its answer. */
  readonly sequence: number
}

/** Why bytes are not a PDU, and how to answer them. */
export interface PduProblem {
  readonly _tag: "PduProblem"
  /** `length`: invalid, so the next PDU cannot be found. `command`: unknown. `body`: a field is missing. */
  readonly reason: "length" | "command" | "body"
  /** Status for the `generic_nack`, or for the answer to an unreadable request. */
  readonly status: number
  readonly sequence: number
  /**
   * Whether the PDU is an answer. Its sequence is then one of ours. A nack of it would refer to the peer's
   * request with the same sequence.
   */
  readonly isAnswer: boolean
}

/** The field that does not fit into a PDU. */
export interface FieldProblem {
  readonly _tag: "FieldProblem"
  readonly field: string
}

export const headerLength = 16

/** Longest PDU that is read, in octets. A `message_payload` may have 65,535. */
export const maxPduLength = 70_000

const isCommand = (name: string): name is Command => Object.hasOwn(commandIds, name)

const commandOf: ReadonlyMap<number, Command> = new Map(
  Object.keys(commandIds)
    .filter(isCommand)
    .map((name) => [commandIds[name], name]),
)

/** Command ids from here on are answers. */
const firstAnswer = 0x80000000

/** Whether the PDU is an answer. */
export const isAnswer = (pdu: Body): boolean => commandIds[pdu.command] >= firstAnswer

/** Encodes a PDU, including its length. */
export const encode = (pdu: Pdu): Result.Result<Uint8Array, FieldProblem> => {
  const writer = new Writer()
    .uint32("command_id", commandIds[pdu.command])
    .uint32("command_status", pdu.status)
    .uint32("sequence_number", pdu.sequence)
  writeBody(writer, pdu)
  const rest = writer.bytes()
  const bytes = new Uint8Array(rest.byteLength + 4)
  new DataView(bytes.buffer).setUint32(0, bytes.byteLength)
  bytes.set(rest, 4)
  const field = writer.problem ?? (bytes.byteLength > maxPduLength ? "command_length" : undefined)
  return field === undefined ? Result.succeed(bytes) : Result.fail({ _tag: "FieldProblem", field })
}

const writeAddress = (writer: Writer, name: string, address: Address, size: number): Writer =>
  writer
    .octet(`${name}_ton`, address.ton)
    .octet(`${name}_npi`, address.npi)
    .text(name, address.address, size)

const writeBody = (writer: Writer, body: Body): void => {
  switch (body.command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      writer
        .text("system_id", body.systemId, 16)
        .text("password", body.password, 9)
        .text("system_type", body.systemType, 13)
        .octet("interface_version", body.interfaceVersion)
      return void writeAddress(writer, "address_range", body.range, 41)
    case "bind_receiver_resp":
    case "bind_transmitter_resp":
    case "bind_transceiver_resp":
      return void writer.text("system_id", body.systemId, 16).tlvs(body.tlvs)
    case "submit_sm":
    case "deliver_sm":
      return writeMessage(writer, body)
    // Also written in rejections, although the specification omits it there: Kannel requires it.
    case "submit_sm_resp":
    case "deliver_sm_resp":
      return void writer.text("message_id", body.messageId, 65).tlvs(body.tlvs)
    case "unbind":
    case "unbind_resp":
    case "enquire_link":
    case "enquire_link_resp":
    case "generic_nack":
      return undefined
  }
}

/** Longest text in `short_message`, in octets. */
const maxMessageLength = 254

const writeMessage = (writer: Writer, body: ShortMessage): void => {
  writer.text("service_type", body.serviceType, 6)
  writeAddress(writer, "source_addr", body.source, 21)
  writeAddress(writer, "destination_addr", body.destination, 21)
  writer
    .octet("esm_class", body.esmClass)
    .octet("protocol_id", body.protocolId)
    .octet("priority_flag", body.priority)
    .text("schedule_delivery_time", body.scheduleAt, 17)
    .text("validity_period", body.validity, 17)
    .octet("registered_delivery", body.registeredDelivery)
    .octet("replace_if_present_flag", body.replaceIfPresent)
    .octet("data_coding", body.dataCoding)
    .octet("sm_default_msg_id", body.defaultMessageId)
    .octet(
      "short_message",
      // 255 fits into the octet, but the specification forbids it.
      body.message.byteLength > maxMessageLength ? Number.NaN : body.message.byteLength,
    )
    .octets(body.message)
    .tlvs(body.tlvs)
}

/** Decodes one PDU that fills all of the bytes. */
export const decode = (bytes: Uint8Array): Result.Result<Pdu, PduProblem> => {
  const problem = (
    reason: PduProblem["reason"],
    status: number,
    sequence: number,
    isAnswer: boolean,
  ) => Result.fail<PduProblem>({ _tag: "PduProblem", reason, status, sequence, isAnswer })
  if (bytes.byteLength < headerLength || bytes.byteLength > maxPduLength) {
    return problem("length", 0x02, 0, false)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const id = view.getUint32(4)
  const isAnswer = id >= firstAnswer
  const status = view.getUint32(8)
  const sequence = view.getUint32(12)
  if (view.getUint32(0) !== bytes.byteLength) {
    return problem("length", 0x02, sequence, isAnswer)
  }
  const command = commandOf.get(id)
  if (command === undefined) return problem("command", 0x03, sequence, isAnswer)
  const reader = new Reader(bytes, headerLength)
  const body = readBody(reader, command)
  // ESME_RINVCMDLEN: the body is shorter than its fields.
  return reader.failed
    ? problem("body", 0x02, sequence, isAnswer)
    : Result.succeed({ ...body, status, sequence })
}

const readAddress = (reader: Reader): Address => ({
  ton: reader.octet(),
  npi: reader.octet(),
  address: reader.text(),
})

const readBody = (reader: Reader, command: Command): Body => {
  switch (command) {
    case "bind_receiver":
    case "bind_transmitter":
    case "bind_transceiver":
      return {
        command,
        systemId: reader.text(),
        password: reader.text(),
        systemType: reader.text(),
        interfaceVersion: reader.octet(),
        range: readAddress(reader),
      }
    case "bind_receiver_resp":
    case "bind_transmitter_resp":
    case "bind_transceiver_resp":
      return { command, systemId: textIfAny(reader), tlvs: reader.tlvs() }
    case "submit_sm":
    case "deliver_sm":
      return readMessage(reader, command)
    case "submit_sm_resp":
    case "deliver_sm_resp":
      return { command, messageId: textIfAny(reader), tlvs: reader.tlvs() }
    case "unbind":
    case "unbind_resp":
    case "enquire_link":
    case "enquire_link_resp":
    case "generic_nack":
      return { command }
  }
}

/** Rejections, and the answers of some centres, have no body. */
const textIfAny = (reader: Reader): string => (reader.isAtEnd ? "" : reader.text())

const readMessage = (reader: Reader, command: ShortMessage["command"]): ShortMessage => ({
  command,
  serviceType: reader.text(),
  source: readAddress(reader),
  destination: readAddress(reader),
  esmClass: reader.octet(),
  protocolId: reader.octet(),
  priority: reader.octet(),
  scheduleAt: reader.text(),
  validity: reader.text(),
  registeredDelivery: reader.octet(),
  replaceIfPresent: reader.octet(),
  dataCoding: reader.octet(),
  defaultMessageId: reader.octet(),
  message: reader.octets(reader.octet()),
  tlvs: reader.tlvs(),
})
