/** Mistakes with the sign-in of the dashboard and with its files, and the tests that notice them. */
import type { Mistake } from "./planting.ts"

const source = "packages/dashboard/src/internal"
const signIn = "packages/dashboard/test/signIn.test.ts"
const pages = "packages/dashboard/test/dashboard.test.ts"

export const dashboardMistakes: ReadonlyArray<Mistake> = [
  {
    name: "a session of the dashboard never ends",
    file: "packages/core/src/domain/access/AdminSession.ts",
    find: "now >= self.startedAt + lifetimeMillis",
    replace: "now < self.startedAt",
    test: {
      path: "packages/core/test/services/AdminSessions.test.ts",
      title: "ends every session after 12 hours, and forgets it at the next sign-in",
    },
  },
  {
    name: "signing out removes the cookie only",
    file: `${source}/signIn.ts`,
    find: "if (token !== undefined) await sessions.end({ login: name, token })",
    replace: "",
    test: {
      path: signIn,
      title: "ends on the server with the button Sign out, so that a copied cookie is of no use",
    },
  },
  {
    name: "a session of another login is valid",
    file: "packages/core/src/services/AdminSessions.ts",
    find: "session === undefined || session.login !== login",
    replace: "session === undefined",
    test: {
      path: "packages/core/test/services/AdminSessions.test.ts",
      title: "finds a session by its token, which is stored nowhere",
    },
  },
  {
    name: "passwords beyond the limit of an address are judged without a turn",
    file: `${source}/signIn.ts`,
    find: "(isWithin ? turns : lateTurns).take(now)",
    replace: "isWithin ? turns.take(now) : 0",
    test: {
      path: signIn,
      title: "waits for its turn, and the last are refused unread; other addresses do not wait",
    },
  },
  {
    name: "passwords of the dashboard are tried without limit",
    file: `${source}/tries.ts`,
    find: "if (recent.length >= maxTries) return false",
    replace: "",
    test: {
      path: "packages/dashboard/test/tries.test.ts",
      title: "are ten in a minute for each address",
    },
  },
  {
    name: "each address of an IPv6 network has tries of its own",
    file: `${source}/tries.ts`,
    find: "const address = networkOf(given)",
    replace: "const address = given",
    test: {
      path: "packages/dashboard/test/tries.test.ts",
      title:
        "of 2001:db8:0:7::1 and 2001:db8:0:7:ffff::2 are counted together, because one client has both",
    },
  },
  {
    name: "a form of another site signs in",
    file: `${source}/signIn.ts`,
    find: "if (isForm(request) && isOwnForm(request))",
    replace: "if (isForm(request))",
    test: { path: signIn, title: "does not end or begin with a form of another site" },
  },
  {
    name: "a theme ends the style sheet's rule",
    file: `${source}/theme.ts`,
    find: "[^;{}<>]{1,200}$/i",
    replace: "[^<>]{1,200}$/i",
    test: {
      path: pages,
      title: "refuses a value that is no single CSS value: red;}body{display:none",
    },
  },
  {
    name: "a missing script is a page",
    file: `${source}/dashboard.ts`,
    find: "if (file === undefined) return undefined",
    replace: 'if (file === undefined) return { status: 200, headers: common, body: "" }',
    test: { path: pages, title: "that does not exist is missing: /assets/main.js" },
  },
]
