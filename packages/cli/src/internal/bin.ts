#!/usr/bin/env node
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"

const [name, ...args] = process.argv.slice(2)

/** The file of `serve`; `undefined` for another command or other arguments. */
const serveArguments = (): { readonly config?: string | undefined } | undefined => {
  if (name !== "serve") return undefined
  try {
    return parseArgs({ args, options: { config: { type: "string" } } }).values
  } catch {
    return undefined
  }
}

const own = serveArguments()
if (own === undefined) {
  const { runInTerminal } = await import("./terminal.ts")
  runInTerminal(process.argv.slice(2))
} else {
  // A start leaves much garbage. V8 would grow for it, and keep 25 MB more. `serve` ends this when it is ready.
  setFlagsFromString("--optimize-for-size")
  // Without the other commands, whose code takes memory.
  const { serve } = await import("./serve/serve.ts")
  process.exit(await serve(own.config))
}
