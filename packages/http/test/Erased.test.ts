import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Privacy } from "@countersign/core/services/Privacy"
import * as TestEngine from "@countersign/testing/TestEngine"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Bodies from "../src/tenant/Bodies.ts"
import { open } from "./support/Subject.ts"

describe("a message whose number was erased", () => {
  it.effect("is in the log with its price, and a country instead of the number", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(TestEngine.layer())),
  )
})
