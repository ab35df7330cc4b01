import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { PDU } from "smpp"
import {
  type Bind,
  type Body,
  decode,
  encode,
  Frames,
  headerLength,
  maxPduLength,
  type Pdu,
  type ShortMessage,
} from "../../../src/internal/smpp/pdu.ts"
import { pdu as anyPdu, shortMessage, submit } from "../../support/pdus.ts"

const bytesOf = (pdu: Pdu): Uint8Array => Result.getOrThrow(encode(pdu))

const header = (length: number, id: number, sequence = 7): Uint8Array => {
  const bytes = new Uint8Array(headerLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length)
  view.setUint32(4, id)
  view.setUint32(12, sequence)
  return bytes
}

const bind: Bind = {
  command: "bind_transceiver",
  systemId: "acme",
  password: "secret",
  systemType: "",
  interfaceVersion: 0x34,
  range: { ton: 0, npi: 0, address: "" },
}

describe("PDU", () => {
  it("decodes what it has encoded", () => {
    fc.assert(
      fc.property(anyPdu, (pdu) => {
        assert.deepStrictEqual(decode(bytesOf(pdu)), Result.succeed(pdu))
      }),
    )
  })

  it("finds a PDU or a problem in any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        assert.doesNotThrow(() => decode(bytes))
      }),
    )
  })

  it("finds a PDU or a problem in a PDU that was changed or cut", () => {
    fc.assert(
      fc.property(anyPdu, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (pdu, at, value, cut) => {
        const bytes = bytesOf(pdu)
        bytes[16 + (at % Math.max(1, bytes.byteLength - 16))] = value
        const shorter = bytes.slice(0, headerLength + (cut % (bytes.byteLength - 15)))
        new DataView(shorter.buffer).setUint32(0, shorter.byteLength)
        for (const one of [bytes, shorter]) {
          const read = decode(one)
          if (Result.isFailure(read)) assert.strictEqual(read.failure.sequence, pdu.sequence)
        }
      }),
    )
  })

  it.each([
    ["shorter than a header", new Uint8Array(15), 0x02, 0],
    ["longer than a PDU may be", new Uint8Array(maxPduLength + 1), 0x02, 0],
    ["a length that is another", header(17, 0x15), 0x02, 7],
    ["an unknown command", header(16, 0x7777), 0x03, 7],
    ["a bind without a body", header(16, 0x09), 0x02, 7],
  ] as const)("answers %s with a problem", (_, bytes, status, sequence) => {
    assert.deepStrictEqual(decode(bytes), Result.fail({ status, sequence, isAnswer: false }))
  })

  it("reads an answer without a body, which centres send as a refusal", () => {
    const read = Result.getOrThrow(decode(header(16, 0x80000004)))
    assert.deepStrictEqual(read, {
      command: "submit_sm_resp",
      messageId: "",
      tlvs: [],
      status: 0,
      sequence: 7,
    })
  })

  it.each<readonly [string, Body, string]>([
    ["a system id of 16", { ...bind, systemId: "a".repeat(16) }, "system_id"],
    ["a password of 9", { ...bind, password: "a".repeat(9) }, "password"],
    ["a system type of 13", { ...bind, systemType: "a".repeat(13) }, "system_type"],
    ["a NUL in a text", { ...bind, systemId: "a\0b" }, "system_id"],
    ["a letter beyond an octet", { ...bind, systemId: "বাংলা" }, "system_id"],
    [
      "a sender of 21",
      { ...submit, source: { ton: 5, npi: 0, address: "a".repeat(21) } },
      "source_addr",
    ],
    ["a message of 255", { ...submit, message: new Uint8Array(255) }, "short_message"],
    ["a coding of 256", { ...submit, dataCoding: 256 }, "data_coding"],
    ["a class that is no integer", { ...submit, esmClass: 0.5 }, "esm_class"],
    [
      "a field of 65,536",
      { ...submit, tlvs: [{ tag: 1, value: new Uint8Array(65_536) }] },
      "length",
    ],
    [
      "fields that are too long together",
      {
        ...submit,
        tlvs: [
          { tag: 1, value: new Uint8Array(40_000) },
          { tag: 2, value: new Uint8Array(40_000) },
        ],
      },
      "command_length",
    ],
  ])("does not encode %s", (_, body, field) => {
    assert.deepStrictEqual(encode({ ...body, status: 0, sequence: 1 }), Result.fail(field))
  })
})

describe("a stream of PDUs", () => {
  it("is split in the same places for any chunks", () => {
    fc.assert(
      fc.property(
        fc.array(anyPdu, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
        (pdus, sizes) => {
          const written = pdus.map(bytesOf)
          const stream = Uint8Array.from(written.flatMap((bytes) => [...bytes]))
          const frames = new Frames()
          const read: Array<Uint8Array> = []
          for (let at = 0, turn = 0; at < stream.byteLength; turn++) {
            const size = sizes[turn % sizes.length] ?? 1
            read.push(...frames.push(stream.subarray(at, at + size)))
            at += size
          }
          assert.deepStrictEqual(
            read.map(decode),
            pdus.map((pdu) => Result.succeed(pdu)),
          )
        },
      ),
    )
  })

  it("emits the PDUs before an invalid length in the same chunk", () => {
    const frames = new Frames()
    const whole = header(16, 0x15)
    assert.deepStrictEqual(frames.push(Buffer.concat([whole, header(15, 0x15)])), [
      Buffer.from(whole),
    ])
    assert.isTrue(frames.isBroken)
  })

  it.each([0, 15, maxPduLength + 1, 0xffffffff])("ends at a length of %i", (length) => {
    const frames = new Frames()
    assert.deepStrictEqual(frames.push(header(length, 0x15)), [])
    assert.isTrue(frames.isBroken)
    assert.deepStrictEqual(frames.push(header(16, 0x15)), [])
  })
})

/** The same PDU in the words of the npm package `smpp`. */
const inItsWords = (message: ShortMessage) => ({
  service_type: message.serviceType,
  source_addr_ton: message.source.ton,
  source_addr_npi: message.source.npi,
  source_addr: message.source.address,
  dest_addr_ton: message.destination.ton,
  dest_addr_npi: message.destination.npi,
  destination_addr: message.destination.address,
  esm_class: message.esmClass,
  protocol_id: message.protocolId,
  priority_flag: message.priority,
  schedule_delivery_time: "",
  validity_period: "",
  registered_delivery: message.registeredDelivery,
  replace_if_present_flag: message.replaceIfPresent,
  data_coding: message.dataCoding,
  sm_default_msg_id: message.defaultMessageId,
})

/** What both have words for: it reads times as dates, and texts as ASCII. */
const shared = shortMessage.map((message): ShortMessage => {
  const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, "x")
  return {
    ...message,
    serviceType: ascii(message.serviceType),
    source: { ...message.source, address: ascii(message.source.address) },
    destination: { ...message.destination, address: ascii(message.destination.address) },
    scheduleAt: "",
    validity: "",
    // Otherwise it takes the header apart, and translates the text.
    esmClass: 0,
    dataCoding: 4,
    tlvs: [],
  }
})

describe("PDU, beside the package smpp", () => {
  it("encodes PDUs that the package decodes", () => {
    fc.assert(
      fc.property(shared, (message) => {
        const read = PDU.fromBuffer(Buffer.from(bytesOf({ ...message, status: 0, sequence: 9 })))
        if (read === false) return assert.fail("it reads nothing")
        for (const [name, value] of Object.entries(inItsWords(message))) {
          if (!name.endsWith("_time") && !name.endsWith("_period")) {
            assert.strictEqual(read[name], value, name)
          }
        }
        const text = read["short_message"]
        const bytes =
          typeof text === "object" && text !== null && "message" in text ? text.message : text
        assert.deepStrictEqual(Buffer.from(message.message), bytes)
        return undefined
      }),
    )
  })

  it("decodes PDUs that the package encodes", () => {
    fc.assert(
      fc.property(shared, (message) => {
        const written = new PDU(message.command, {
          sequence_number: 9,
          ...inItsWords(message),
          short_message: Buffer.from(message.message),
        }).toBuffer()
        assert.deepStrictEqual(
          decode(Uint8Array.from(written)),
          Result.succeed({ ...message, status: 0, sequence: 9 }),
        )
      }),
    )
  })

  it("agrees on binds, their answers and optional fields", () => {
    const read = PDU.fromBuffer(Buffer.from(bytesOf({ ...bind, status: 0, sequence: 3 })))
    assert.include(read, { command: "bind_transceiver", system_id: "acme", password: "secret" })
    const answer = new PDU("bind_transceiver_resp", {
      sequence_number: 3,
      system_id: "centre",
      sc_interface_version: 0x34,
    })
    assert.deepStrictEqual(Result.getOrThrow(decode(Uint8Array.from(answer.toBuffer()))), {
      command: "bind_transceiver_resp",
      systemId: "centre",
      tlvs: [{ tag: 0x0210, value: Uint8Array.of(0x34) }],
      status: 0,
      sequence: 3,
    })
    const receipt = new PDU("deliver_sm", {
      sequence_number: 4,
      esm_class: 4,
      receipted_message_id: "abc",
      message_state: 2,
    })
    const decoded = Result.getOrThrow(decode(Uint8Array.from(receipt.toBuffer())))
    assert.deepStrictEqual("tlvs" in decoded ? decoded.tlvs : [], [
      { tag: 0x001e, value: Uint8Array.from(Buffer.from("abc\0")) },
      { tag: 0x0427, value: Uint8Array.of(2) },
    ])
  })
})
