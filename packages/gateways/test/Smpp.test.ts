/**
 * The SMPP adapter and the message centre of the suite. What is peculiar to it, and centres that others
 * have written, are in test/gateways/smpp.
 */
import * as GatewaySuite from "@countersign/testing/GatewaySuite"
import * as Redacted from "effect/Redacted"
import * as Smpp from "../src/Smpp.ts"

const rejected = (reason: "recipient" | "content" | "sender" | "account") =>
  ({ _tag: "Rejected", reason }) as const

const meant = (
  statuses: ReadonlyArray<number>,
  expected: GatewaySuite.Expected,
): ReadonlyArray<GatewaySuite.SmppStatus> => statuses.map((status) => ({ status, expected }))

const make = (options: Partial<Smpp.Options>) => (centre: GatewaySuite.SmppCentre) =>
  Smpp.make({ ...centre, password: Redacted.make(centre.password), ...options })

GatewaySuite.smppSuite("smpp", {
  make: make({}),
  statuses: [
    ...meant([0x50, 0x51], rejected("recipient")),
    ...meant([0x48, 0x49], rejected("sender")),
    ...meant([0x45, 0x61, 0x62], rejected("content")),
    ...meant([0x02, 0x03, 0x04, 0x06, 0x07, 0x0d, 0x0e, 0x15, 0x43, 0x53], rejected("account")),
    ...meant([0xc0, 0xc1, 0xc2, 0xc3, 0xc4], rejected("account")),
    ...meant([0x05, 0x64, 0x65], { _tag: "Unknown" }),
  ],
})

GatewaySuite.smppSuite("smpp, with a connection for each direction", {
  make: make({ bind: "pair" }),
})

GatewaySuite.smppSuite("smpp, without receipts", {
  make: make({ receipts: "none" }),
  receipts: false,
})
