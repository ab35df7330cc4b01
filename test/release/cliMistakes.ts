/**
 * Mistakes in the command line; see `mistakes.ts`.
 */
import type { Mistake } from "./planting.ts"

const sources = "packages/cli/src/internal"
const tests = "packages/cli/test"

export const commandLine: ReadonlyArray<Mistake> = [
  {
    name: "the settlement of the command line sends codes by SMS",
    file: `${sources}/commands/upkeep.ts`,
    find: "return followAt === null || (dueAt !== null && dueAt <= now)",
    replace: "return followAt === null || dueAt !== now",
    test: {
      path: `${tests}/Upkeep.test.ts`,
      title:
        "settle > leaves codes to the host that wait to be followed by an SMS, until their deadline",
    },
  },
  {
    name: "the settlement of the command line repeats dispatches",
    file: `${sources}/vendors.ts`,
    find: "tokenMillis: 0 }",
    replace: "tokenMillis: 1 }",
    test: {
      path: `${tests}/Gateways.test.ts`,
      title:
        "the gateways of a settlement > honour no token and send nothing, so that no dispatch is repeated",
    },
  },
  {
    name: "a gateway that is not named proves that nothing was sent",
    file: `${sources}/vendors.ts`,
    find: 'name: "command line",',
    replace: "",
    test: {
      path: `${tests}/Gateways.test.ts`,
      title:
        "the gateways of a settlement > look messages up by the names of those that can, and prove nothing for others",
    },
  },
  {
    name: "money is booked without a reason",
    file: `${sources}/commands/money.ts`,
    find: 'note: yield* Input.field("note", Input.id(input.note.trim())),',
    replace: "note: input.note.trim(),",
    test: {
      path: `${tests}/Commands.test.ts`,
      title: "top-up, adjust, ledger and statement > book nothing with an empty reason",
    },
  },
  {
    name: "a script destroys without --yes",
    file: `${sources}/confirm.ts`,
    find: "if (yield* Yes) return",
    replace: "return void (yield* Yes)",
    test: { path: `${tests}/Cli.test.ts`, title: "a question > is answered by no terminal" },
  },
  {
    name: "an error shows the password of a URL",
    file: `${sources}/secrets.ts`,
    find: '"$1…@"',
    replace: '"$&"',
    test: {
      path: `${tests}/Cli.test.ts`,
      title: "errors > repeat no password: postgres://admin:hunter2@127.0.0.1:1/countersign",
    },
  },
  {
    name: "an export leaves no trace in the audit",
    file: `${sources}/commands/privacy.ts`,
    find: "yield* audit.record(",
    replace: "void audit.record(",
    test: {
      path: `${tests}/Upkeep.test.ts`,
      title:
        "erase and export > print what is stored of a number, erase it, and record who did so and why",
    },
  },
]
