/**
 * Imports a configuration that is a module.
 *
 * Node's own loader of TypeScript keeps 15 MB for the life of the process. A worker thread removes the types instead,
 * and ends when the module is loaded.
 */
import { ConfigurationError } from "countersign"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import * as Module from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"

/** Runs in the worker. It answers one text at a time, while this thread waits. */
const stripping = `
const { stripTypeScriptTypes } = require("node:module")
const { port, signal } = require("node:worker_threads").workerData
port.on("message", (text) => {
  const answer = {}
  try {
    answer.code = stripTypeScriptTypes(text)
  } catch (error) {
    answer.problem = error.message
  }
  port.postMessage(answer)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
})`

/** How long a worker may take for one file. */
const limitMillis = 30_000

interface Stripper {
  readonly strip: (file: string) => string
  readonly end: () => Promise<void>
}

const startStripper = (): Stripper => {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(stripping, {
    eval: true,
    execArgv: ["--no-warnings"],
    workerData: { port: port2, signal },
    transferList: [port2],
  })
  worker.unref()
  return {
    strip: (file) => {
      Atomics.store(signal, 0, 0)
      port1.postMessage(readFileSync(file, "utf8"))
      Atomics.wait(signal, 0, 0, limitMillis)
      const answer: unknown = receiveMessageOnPort(port1)?.message
      if (typeof answer === "object" && answer !== null && "code" in answer) {
        return String(answer.code)
      }
      const problem = typeof answer === "object" && answer !== null && "problem" in answer
      throw new ConfigurationError(
        `${file}: ${problem ? String(answer.problem) : "its types could not be removed in time"}`,
      )
    },
    end: async () => {
      port1.close()
      const exited = once(worker, "exit")
      await worker.terminate()
      await exited
    },
  }
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
  let stripper: Stripper | undefined
  const hooks = Module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, isOwn(specifier) ? { ...context, parentURL: import.meta.url } : context),
    load: (found, context, next) => {
      if (!isTypeScript(found) || found.includes("/node_modules/")) return next(found, context)
      stripper ??= startStripper()
      const source = stripper.strip(fileURLToPath(found))
      return { format: "module", source, shortCircuit: true }
    },
  })
  try {
    return await imported(url)
  } finally {
    hooks.deregister()
    await stripper?.end()
  }
}

const imported = async (url: string): Promise<object> => {
  const loaded: unknown = await import(url)
  return typeof loaded === "object" && loaded !== null ? loaded : {}
}
