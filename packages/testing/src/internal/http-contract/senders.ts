/**
 * The sender that a `brand_id` selects, on both endpoints.
 */
import { assert } from "@effect/vitest"
import {
  type Answer,
  type Contract,
  type ContractTest,
  faults,
  member,
  type Organization,
  proves,
  refuses,
} from "./support.ts"
import type { Sender } from "./subject.ts"

const masking = (sender: string, members: Partial<Sender> = {}): Sender => ({
  kind: "masking",
  sender,
  ...members,
})

const registered = (sender: string, members: Partial<Sender> = {}): Sender => ({
  kind: "non-masking",
  sender,
  ...members,
})

const profile = (sender: string, members: Partial<Sender> = {}): Sender => ({
  kind: "whatsapp",
  sender,
  ...members,
})

const channel = "whatsapp"

/** Sends a message and a code with these members, and returns both results. */
const bothWith = async (
  contract: Contract,
  organization: Organization,
  members: object,
): Promise<{
  readonly answers: readonly [message: Answer, verification: Answer]
  readonly senders: ReadonlyArray<string>
  readonly logged: ReadonlyArray<unknown>
}> => {
  const number = contract.number()
  const answers = [
    await organization.send(number, members),
    await organization.verify(number, members),
  ] as const
  const entries = (await organization.log()).slice(0, 2)
  return {
    answers,
    senders: (await contract.subject.journal(number)).map(({ sender }) => sender),
    logged: entries.map((entry) => member(entry, "channel")),
  }
}

/** The result of a `brand_id`: sender and channel in the log, or nothing. */
const resolves = async (
  contract: Contract,
  senders: ReadonlyArray<Sender>,
  members: object,
  expected: readonly [sender: string, logged: string] | "nothing",
): Promise<void> => {
  const organization = await contract.organization({ senders })
  const { answers, logged, senders: used } = await bothWith(contract, organization, members)
  if (expected === "nothing") {
    refuses(answers[0], 400, {}, "sender_unusable")
    faults(answers[1], 400, "brand_id")
    assert.deepStrictEqual(used, [])
    assert.deepStrictEqual(logged, [])
    return
  }
  const [sender, loggedAs] = expected
  for (const { status, text } of answers) assert.strictEqual(status, 200, text)
  assert.deepStrictEqual(used, [sender, sender])
  assert.deepStrictEqual(logged, [loggedAs, loggedAs])
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
