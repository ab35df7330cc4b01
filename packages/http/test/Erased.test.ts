import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Privacy } from "@countersign/core/services/Privacy"
import { assert, describe } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Bodies from "../src/tenant/Bodies.ts"
import { open } from "./support/Subject.ts"
import { engineTest } from "./support/engineTest.ts"

describe("a message whose number was erased", () => {
  engineTest("is in the log with its price, and a country instead of the number", function* () {
    const { call } = yield* open()
    const to = "8801712345678"
    yield* call("/messages", { body: { to, message: "hello" } })
    const before = yield* call("/messages")
    const privacy = yield* Privacy
    yield* privacy.erase({ organization: OrganizationId("acme"), phoneNumber: to })
    const { body, status } = yield* call("/messages")
    assert.strictEqual(status, 200)
    const List = Schema.Struct({ data: Schema.Array(Bodies.LogEntry) })
    const [known] = Schema.decodeUnknownSync(List)(before.body).data
    const [erased] = Schema.decodeUnknownSync(List)(body).data
    assert.isDefined(known)
    const gone = { recipient: "erased:BD", message: "", gatewayId: null }
    assert.deepStrictEqual<unknown>(erased, { ...known, ...gone })
  })
})
