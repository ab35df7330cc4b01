/**
 * A tenant is a handle. No call of it can reach another organization, and none falls back to the default one.
 */
import { assert, describe, it } from "vitest"
import * as Countersign from "../src/index.ts"
import { hosts } from "./support/host.ts"
import { failure, phone, untyped } from "./support/values.ts"

const { host } = hosts()

type Method = (input: unknown) => Promise<unknown>

describe("the handle of an organization", () => {
  it.each([undefined, null, "", 5, {}, ["acme"]])("is refused at once for %j", async (id) => {
    const { engine } = await host({ database: "memory" })
    assert.throws(() => engine.organization(untyped(id)), Countersign.InvalidRequestError)
    const actor = engine.as({ id: "operator" })
    assert.throws(() => actor.organization(untyped(id)), Countersign.InvalidRequestError)
  })

  it.each(["unknown", "not an id", "Default"])("lets each call reject for %j", async (id) => {
    const { engine } = await host({ database: "memory" })
    const { account, events, messages, verifications } = engine.organization(id)
    for (const call of [
      account.balance(),
      account.topUp({ amount: "1" }),
      messages.send({ phoneNumber: phone(), text: "x" }),
      verifications.send({ phoneNumber: phone() }),
      verifications.list(),
      events.follow()[Symbol.asyncIterator]().next(),
    ]) {
      assert.instanceOf(await failure(call), Countersign.OrganizationNotFoundError)
    }
  })

  it("has no field `organization` in any input, with or without a handle", async () => {
    const { engine } = await host({ database: "memory" })
    await engine.organizations.create({ id: "acme" })
    const handle = engine.organization("acme")
    for (const services of [engine, engine.as({ id: "operator" }), handle]) {
      for (const [name, service] of Object.entries(handle)) {
        for (const method of Object.keys(Object(service))) {
          if (["export", "follow", "newRequestId"].includes(method)) continue
          const call: Method = untyped(Reflect.get(Object(Reflect.get(services, name)), method))
          const error = await failure(Promise.try(() => call({ organization: "acme" })))
          assert.instanceOf(error, Countersign.InvalidRequestError, `${name}.${method}`)
          assert.include(
            error.message,
            "organization is not a field; did you mean organization(id)?",
          )
        }
      }
    }
  })

  it("acts for its organization only, also in the name of an actor", async () => {
    const { engine } = await host({ database: "memory" })
    await engine.organizations.create({ id: "acme" })
    const acme = engine.as({ id: "operator" }).organization("acme")
    const { topUp } = acme.account
    await topUp({ amount: "5" })
    assert.strictEqual((await engine.account.balance()).balance, "0.00")
    const [entry] = (await engine.organization("acme").account.entries()).items
    assert.deepInclude(entry, { amount: "5.00", actor: "operator" })
  })
})
