/** Mistakes of the adapter for better-auth that let one person sign in as another. */
import type { Mistake } from "./planting.ts"

const adapter = "packages/better-auth/src/internal"
const adapterTest = "packages/better-auth/test"

export const betterAuthMistakes: ReadonlyArray<Mistake> = [
  {
    name: "better-auth: the signature of a request's cookie is not checked",
    file: `${adapter}/binding.ts`,
    find: 'if (!isEqual(hmac(ctx, value).digest("base64"), cookie.slice(end + 1))) return undefined',
    replace: 'if (cookie === "") return undefined',
    test: {
      path: `${adapterTest}/attacks.test.ts`,
      title: "another browser > a cookie that is forged, or of another purpose, is no cookie",
    },
  },
  {
    name: "better-auth: the owner of a number signs in to the user who has only claimed it",
    file: `${adapter}/users.ts`,
    find: "if (owner === null || owner.phoneNumberVerified === true) return owner",
    replace: "if (owner === null || owner.id !== null) return owner",
    test: {
      path: `${adapterTest}/attacks.test.ts`,
      title:
        "another number > a number that a stranger has claimed is taken from them when its owner signs in",
    },
  },
  {
    name: "better-auth: a code that was sent for one user links the number to another",
    file: `${adapter}/plugin.ts`,
    find: 'if (verified.metadata?.["userId"] !== user.id) return refuse("user_changed")',
    replace: "",
    test: {
      path: `${adapterTest}/link.test.ts`,
      title: "a code that was sent for one user does not link the number to the next",
    },
  },
  {
    name: "better-auth: a code to sign in resets a password",
    file: `${adapter}/phoneNumber.ts`,
    find: 'path === "/phone-number/reset-password" ? "password-reset" : "login"',
    replace: 'path === undefined ? "password-reset" : "login"',
    test: {
      path: `${adapterTest}/phoneNumber.test.ts`,
      title:
        "a password reset > takes a code of its own: one to sign in does not reset, and the other way round",
    },
  },
]
