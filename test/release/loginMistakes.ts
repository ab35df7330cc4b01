/** Mistakes by which a login signs a stranger in, or loses a sign-in that has begun. */
import type { Mistake } from "./planting.ts"

const login = "packages/http/src/login"
const attacks = "packages/http/test/login/Login.attacks.test.ts"

export const loginMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a check ignores the number that the page shows",
    file: `${login}/Login.ts`,
    find: 'if (!isSame) return Answers.problem("number_changed")',
    replace: "void isSame",
    test: {
      path: attacks,
      title: "fixation > by a planted cookie does not make the victim type for the attacker",
    },
  },
  {
    name: "a cookie needs no signature",
    file: "packages/core/src/engine/BrowserTokens.ts",
    find: "if (Mac.timingSafeEqual(expected, signature.success)) return text",
    replace: "if (expected.length > 0) return text",
    test: {
      path: attacks,
      title: "another browser > cannot make a cookie: no changed character is accepted",
    },
  },
  {
    name: "the pages of every site may use a login",
    file: `${login}/Login.ts`,
    find: "if (!isDocument && Browser.isForeign(request, origins)) {",
    replace: "if (isDocument && Browser.isForeign(request, origins)) {",
    test: {
      path: "packages/http/test/login/Login.requests.test.ts",
      title: 'a page of another site > {"sec-fetch-site":"cross-site"} is served: false',
    },
  },
  {
    name: "a browser loses its request with the answer of the database",
    file: `${login}/Login.ts`,
    find: "Effect.catchIf(isUncertain, (error) => Effect.map(Answers.ofError(error), begin)),",
    replace: "Effect.catchIf(isUncertain, (error) => Answers.ofError(error)),",
    test: {
      path: attacks,
      title:
        "an answer of the database that is lost > still binds the request to its browser, which goes on with it",
    },
  },
  {
    name: "a sign-in that has begun ends with its browser",
    file: `${login}/Login.ts`,
    find: "return yield* completed(",
    replace: "return yield* Effect.interruptible(",
    test: {
      path: "packages/countersign/test/login.test.ts",
      title: "dispose > waits for a sign-in whose browser has gone",
    },
  },
]
