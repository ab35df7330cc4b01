/**
 * PDUs that fit the specification, and nothing about them that does not.
 */
import * as fc from "fast-check"
import type { Address, Bind, Body, Pdu, ShortMessage, Tlv } from "../../src/internal/smpp/pdu.ts"

/** A message that is submitted. */
export const submit: ShortMessage = {
  command: "submit_sm",
  serviceType: "",
  source: { ton: 5, npi: 0, address: "ACME" },
  destination: { ton: 1, npi: 1, address: "8801712345678" },
  esmClass: 0,
  protocolId: 0,
  priority: 0,
  scheduleAt: "",
  validity: "",
  registeredDelivery: 1,
  replaceIfPresent: 0,
  dataCoding: 0,
  defaultMessageId: 0,
  message: Uint8Array.of(0x68, 0x69),
  tlvs: [],
}

const octet = fc.integer({ min: 0, max: 255 })

/** Texts that go into a field of this size, the NUL at its end counted. */
export const text = (size: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 1, max: 255 }), { maxLength: size - 1 })
    .map((codes) => String.fromCharCode(...codes))

const address = (size: number): fc.Arbitrary<Address> =>
  fc.record({ ton: octet, npi: octet, address: text(size) })

const tlvs: fc.Arbitrary<ReadonlyArray<Tlv>> = fc.array(
  fc.record({ tag: fc.integer({ min: 0, max: 0xffff }), value: fc.uint8Array({ maxLength: 300 }) }),
  { maxLength: 4 },
)

const bind: fc.Arbitrary<Bind> = fc.record({
  command: fc.constantFrom("bind_receiver", "bind_transmitter", "bind_transceiver"),
  systemId: text(16),
  password: text(9),
  systemType: text(13),
  interfaceVersion: octet,
  range: address(41),
})

export const shortMessage: fc.Arbitrary<ShortMessage> = fc.record({
  command: fc.constantFrom("submit_sm", "deliver_sm"),
  serviceType: text(6),
  source: address(21),
  destination: address(21),
  esmClass: octet,
  protocolId: octet,
  priority: octet,
  scheduleAt: text(17),
  validity: text(17),
  registeredDelivery: octet,
  replaceIfPresent: octet,
  dataCoding: octet,
  defaultMessageId: octet,
  message: fc.uint8Array({ maxLength: 254 }),
  tlvs,
})

const body: fc.Arbitrary<Body> = fc.oneof(
  bind,
  shortMessage,
  fc.record({
    command: fc.constantFrom(
      "bind_receiver_resp",
      "bind_transmitter_resp",
      "bind_transceiver_resp",
    ),
    systemId: text(16),
    tlvs,
  }),
  fc.record({
    command: fc.constantFrom("submit_sm_resp", "deliver_sm_resp"),
    messageId: text(65),
    tlvs,
  }),
  fc.record({
    command: fc.constantFrom(
      "unbind",
      "unbind_resp",
      "enquire_link",
      "enquire_link_resp",
      "generic_nack",
    ),
  }),
)

const uint32 = fc.integer({ min: 0, max: 0xffffffff })

export const pdu: fc.Arbitrary<Pdu> = fc
  .tuple(body, uint32, uint32)
  .map(([body, status, sequence]) => ({ ...body, status, sequence }))
