/**
 * Lint rules that oxlint does not have. `oxlint.config.ts` loads this file as a plugin.
 */

interface Node {
  readonly type: string
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly arguments?: ReadonlyArray<Node>
}

interface Comment {
  readonly value: string
}

interface Context {
  readonly report: (problem: { readonly node: Node | Comment; readonly message: string }) => void
  readonly sourceCode: { readonly getAllComments: () => ReadonlyArray<Comment> }
}

const isDate = (node: Node | undefined): boolean =>
  node?.type === "Identifier" && node.name === "Date"

/** `new Date(millis)` converts a given instant; without an argument it asks the machine's clock. */
const noMachineTime = {
  create: (context: Context) => ({
    NewExpression: (node: Node): void => {
      if (isDate(node.callee) && node.arguments?.length === 0) {
        context.report({
          node,
          message: "new Date() reads the machine's clock: take the time as an argument, or Clock",
        })
      }
    },
    CallExpression: (node: Node): void => {
      if (isDate(node.callee)) {
        context.report({
          node,
          message: "Date() reads the machine's clock: take the time as an argument, or Clock",
        })
      }
    },
  }),
}

const runners = ["it", "test", "describe", "suite"]
const withholding = ["skip", "skipIf", "runIf", "only", "todo"]

const rootOf = (node: Node | undefined): Node | undefined =>
  node?.type === "MemberExpression" ? rootOf(node.object) : node

/** vitest's own rules look at `test.skip`, but not at the `it.effect.skip` of @effect/vitest. */
const noWithheldTests = {
  create: (context: Context) => ({
    MemberExpression: (node: Node): void => {
      const isRunner = runners.includes(rootOf(node.object)?.name ?? "")
      if (isRunner && withholding.includes(node.property?.name ?? "")) {
        context.report({ node, message: "every test runs: repair it or remove it" })
      }
    },
  }),
}

const explainedDisable = {
  create: (context: Context) => ({
    Program: (): void => {
      for (const comment of context.sourceCode.getAllComments()) {
        const isDirective = /^\s*(oxlint|eslint)-disable/.test(comment.value)
        if (isDirective && !/ -- \S/.test(comment.value)) {
          context.report({
            node: comment,
            message: "say why: // oxlint-disable-next-line rule -- reason",
          })
        }
      }
    },
  }),
}

export default {
  meta: { name: "countersign" },
  rules: {
    "no-machine-time": noMachineTime,
    "no-withheld-tests": noWithheldTests,
    "explained-disable": explainedDisable,
  },
}
