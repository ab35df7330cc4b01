import { assert, test } from "vitest"
import { lifetimeSeconds, seal, type Session, unseal } from "../src/session.ts"

process.env["SESSION_SECRET"] = "a secret for tests, and for nothing else"

const asked: Session = { phoneNumber: "+8801712345678", requestId: "vrf_1" }
const signedIn: Session = { phoneNumber: "+8801712345678", requestId: null }

test.each([asked, signedIn])("a cookie gives %j back until it is too old", (session) => {
  const value = seal(session, 1_000)
  const end = 1_000 + lifetimeSeconds(session) * 1_000
  assert.deepStrictEqual(unseal(value, end - 1), session)
  assert.isUndefined(unseal(value, end))
})

const [claims = "", signature = ""] = seal(signedIn, 0).split(".")
const [otherClaims = ""] = seal(asked, 0).split(".")

test.each([
  [undefined],
  [""],
  ["."],
  [claims],
  [`${claims}.`],
  [`${claims}.${signature.slice(1)}`],
  [`${otherClaims}.${signature}`],
])("the cookie %s is nobody's", (value) => {
  assert.isUndefined(unseal(value, 0))
})
