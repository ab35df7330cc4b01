/**
 * Imports a configuration that is a module.
 *
 * Node's own loader of TypeScript keeps 15 MB for the life of the process, and so does a worker thread that has ended.
 * Another process removes the types instead.
 */
import { ConfigurationError } from "countersign"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as Module from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"

/** Runs in a process of its own, which gets the text and prints it without types. */
const stripping = `
const { readFileSync } = require("node:fs")
const { stripTypeScriptTypes } = require("node:module")
process.stdout.write(stripTypeScriptTypes(readFileSync(0, "utf8")))`

const maxBytes = 16 * 1024 * 1024

const withoutTypes = (file: string): string => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--no-warnings", "--eval", stripping],
    { encoding: "utf8", env: {}, input: readFileSync(file), maxBuffer: maxBytes },
  )
  if (status === 0) return stdout
  const problem = /^\w*Error\b.*$/m.exec(stderr)?.[0] ?? "its types cannot be removed"
  throw new ConfigurationError(`${file}: ${problem}`)
}

/** Our packages always come from the command line, so that a configuration needs no packages beside it. */
const isOwn = (specifier: string): boolean =>
  /^(?:countersign|@countersign\/[\w-]+)(?:\/|$)/.test(specifier)

const isTypeScript = (url: string): boolean => /^file:.*\.m?ts$/.test(url)

/** Whether this Node can change how modules are loaded. Otherwise its own loader reads the file. */
const canHook = "registerHooks" in Module

export const importConfig = async (file: string): Promise<object> => {
  const url = pathToFileURL(file).href
  if (!canHook) return imported(url)
  const hooks = Module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, isOwn(specifier) ? { ...context, parentURL: import.meta.url } : context),
    load: (found, context, next) => {
      if (!isTypeScript(found) || found.includes("/node_modules/")) return next(found, context)
      return { format: "module", source: withoutTypes(fileURLToPath(found)), shortCircuit: true }
    },
  })
  try {
    return await imported(url)
  } finally {
    hooks.deregister()
  }
}

const imported = async (url: string): Promise<object> => {
  // oxlint-disable-next-line import/no-dynamic-require -- the user names the module
  const loaded: unknown = await import(url)
  return typeof loaded === "object" && loaded !== null ? loaded : {}
}
