import * as Samples from "@countersign/testing/Samples"
import { assert, it } from "vitest"
import * as ClientActivity from "../../../src/domain/verifications/ClientActivity.ts"

const empty = ClientActivity.empty(Samples.organizationId, "c")

it.each([
  ["without requests and checks", {}, true],
  ["with requests before the longest window", { sends: [1, 4] }, true],
  ["with a request in it", { sends: [1, 5] }, false],
  ["with a check in it", { checks: [1, 5] }, false],
  ["with a request in it, and a check before", { sends: [5], checks: [4] }, false],
])("the activity of a client %s is idle: %2$s", (_, change, expected) => {
  assert.strictEqual(ClientActivity.isIdle({ ...empty, ...change }, 5), expected)
})
