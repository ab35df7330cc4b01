/**
 * The sender that a `brand_id` selects, on both endpoints.
 */
import { assert } from "@effect/vitest"
import { type Contract, type ContractTest, faults, member, proves, refuses } from "./support.ts"
import type { Sender } from "./subject.ts"

const senderOf =
  (kind: Sender["kind"]) =>
  (sender: string, members: Partial<Sender> = {}): Sender => ({ kind, sender, ...members })

const masking = senderOf("masking")
const registered = senderOf("non-masking")
const profile = senderOf("whatsapp")

const channel = "whatsapp"

/** Checks the sender that a message and a code get, and their channel in the log, or that none is found. */
const resolves = async (
  contract: Contract,
  senders: ReadonlyArray<Sender>,
  members: object,
  expected: readonly [sender: string, logged: string] | "nothing",
): Promise<void> => {
  const organization = await contract.organization({ senders })
  const number = contract.number()
  const message = await organization.send(number, members)
  const verification = await organization.verify(number, members)
  const used = (await contract.subject.journal(number)).map(({ sender }) => sender)
  const logged = (await organization.log()).map((entry) => member(entry, "channel"))
  if (expected === "nothing") {
    refuses(message, 400, {}, "sender_unusable")
    faults(verification, 400, "brand_id")
    assert.deepStrictEqual([used, logged], [[], []])
    return
  }
  const [sender, loggedAs] = expected
  for (const { status, text } of [message, verification]) assert.strictEqual(status, 200, text)
  assert.deepStrictEqual(
    [used, logged],
    [
      [sender, sender],
      [loggedAs, loggedAs],
    ],
  )
}

export const senders: ReadonlyArray<ContractTest> = [
  proves(
    ["4.1, 4.4 brand_id", "brands: match", "log: channel"],
    "a brand ID, a masking name, a registered number or a profile ID names the sender",
    async (contract) => {
      const all = [
        masking("ACME", { id: "brd_mask" }),
        registered("8809612000202", { id: "brd_second" }),
        profile("support", { id: "brd_support" }),
      ]
      for (const brand_id of ["brd_mask", "ACME"]) {
        await resolves(contract, all, { brand_id }, ["ACME", "mask"])
      }
      for (const brand_id of ["brd_second", "8809612000202"]) {
        await resolves(contract, all, { brand_id }, ["8809612000202", "non-mask"])
      }
      for (const brand_id of ["brd_support", "support"]) {
        await resolves(contract, all, { channel, brand_id }, ["support", "whatsapp"])
      }
      await resolves(contract, all, {}, ["8809612000101", "non-mask"])
      await resolves(contract, all, { channel }, ["contract-profile", "whatsapp"])
    },
  ),
  proves(
    ["brands: refusal", "7 message 400 brand", "7 verify 400"],
    "a sender that is not there, not approved or of the wrong kind is refused, and nothing is sent",
    async (contract) => {
      const all = [
        masking("WAITING", { id: "brd_waiting", status: "pending" }),
        masking("ACME"),
        profile("new-profile", { status: "pending" }),
      ]
      for (const brand_id of ["unknown", "", "brd_waiting", "acme", "brd_profile", "\u0000"]) {
        await resolves(contract, all, { brand_id }, "nothing")
      }
      for (const brand_id of ["x".repeat(2_000), "new-profile", "ACME"]) {
        await resolves(contract, all, { channel, brand_id }, "nothing")
      }
    },
  ),
  proves(
    ["brands: withdrawn", "brands: refusal"],
    "a sender that is withdrawn is refused at once, on every node, until it is registered again",
    async (contract) => {
      const all = [
        masking("ACME", { id: "brd_mask" }),
        registered("8809612000202", { id: "brd_2" }),
      ]
      const organization = await contract.organization({ senders: all })
      const baseUrl = await contract.subject.serveFromAnotherNode()
      const send = (brand_id: string) =>
        organization.send(contract.number(), { brand_id }, { baseUrl })
      for (const { id = "", sender } of all) {
        assert.strictEqual((await send(sender)).status, 200)
        await organization.host.withdrawSender(id)
        for (const brand_id of [id, sender]) {
          refuses(await send(brand_id), 400, {}, "sender_unusable")
        }
        const { kind } = all.find((one) => one.id === id) ?? assert.fail()
        await organization.host.saveSender({ kind, sender })
        assert.strictEqual((await send(sender)).status, 200)
        refuses(await send(id), 400, {}, "sender_unusable")
      }
    },
  ),
]
