/** Mistakes that show the codes of the inbox to strangers, or give a test a code of another. */
import type { Mistake } from "./planting.ts"

const src = "packages/inbox/src/internal"
const tests = "packages/inbox/test"

export const inboxMistakes: ReadonlyArray<Mistake> = [
  {
    name: "the inbox starts in production",
    file: `${src}/inbox.ts`,
    find: '"production" && !allowInProduction',
    replace: '"production" && allowInProduction',
    test: {
      path: `${tests}/createInbox.test.ts`,
      title: "NODE_ENV production is production: true",
    },
  },
  {
    name: "a foreign name may point at the inbox",
    file: `${src}/routes.ts`,
    find: "if (!isOwnHost(host, hosts)) return Effect.succeed(misdirected)",
    replace: "",
    test: {
      path: `${tests}/routes.test.ts`,
      title: 'a request > to a foreign host name is 421 on "/messages"',
    },
  },
  {
    name: "a page of another site changes the inbox",
    file: `${src}/routes.ts`,
    find: '!isOwnOrigin(request.headers["origin"], host)',
    replace: "false",
    test: {
      path: `${tests}/routes.test.ts`,
      title: "a request > that changes something is 403 from a page of another origin",
    },
  },
  {
    name: "a wait ends with the code of an earlier test",
    file: `${src}/inbox.ts`,
    find: "index < 0 ? newestFirst : newestFirst.slice(0, index)",
    replace: "index < 0 ? newestFirst : newestFirst.slice(0, index + 1)",
    test: {
      path: `${tests}/createInbox.test.ts`,
      title: "a code is read in the process, in any spelling of the number",
    },
  },
]
