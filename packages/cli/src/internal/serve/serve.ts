/** `countersign serve`: the service as one process, until a signal ends it. */
import { ConfigurationError, createCountersign, StartError, type ServeOptions } from "countersign"
import { countersignOptionsOf, logOf, notice, readServeOptions } from "countersign/serve"
import { once } from "node:events"
import type { Server } from "node:http"
import { setFlagsFromString } from "node:v8"
import { exitCodes } from "../../ExitCode.ts"
import { fileOf, readConfigFile } from "./configFile.ts"
import { checkRoutes, makeListener } from "./routes.ts"

/** Reads the configuration that a flag, the environment or the current folder names. */
export const readOptions = async (flag: string | undefined): Promise<ServeOptions> => {
  const file = fileOf(flag, process.env)
  return readServeOptions(file === undefined ? undefined : await readConfigFile(file), process.env)
}

/** Longer than balancers keep a connection without requests, so that they end it and no request meets its end. */
const keepAliveMillis = 75_000

/** Not by `import`, which loads the client behind `fetch`. */
const { createServer } = process.getBuiltinModule("node:http")

const listen = async (
  server: Server,
  { host, port = 3_000 }: NonNullable<ServeOptions["listen"]>,
) => {
  server.listen(port, host)
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) return String(address)
  const { address: ip, family, port: own } = address
  return `http://${family === "IPv6" ? `[${ip}]` : ip}:${own}`
}

const signals = { SIGINT: 130, SIGTERM: 143 } as const

/** Waits for the first signal. The second one ends the process at once. */
const firstSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let isSecond = false
    for (const [name, exitCode] of Object.entries(signals)) {
      process.on(name, () => {
        if (isSecond) process.exit(exitCode)
        isSecond = true
        resolve(name)
      })
    }
  })

/** Runs the service. Resolves with the exit code after a signal. */
const run = async (flag: string | undefined): Promise<number> => {
  const options = await readOptions(flag)
  const log = logOf(options)
  await checkRoutes(options)
  const signal = firstSignal()
  const countersign = await createCountersign(await countersignOptionsOf(options))
  const info = (event: string): void => log(notice("info", event))
  try {
    const server = createServer(await makeListener(countersign, options))
    server.keepAliveTimeout = keepAliveMillis
    const address = await listen(server, options.listen ?? {})
    setFlagsFromString("--no-optimize-for-size")
    info(`ready at ${address}`)
    info(`${await signal}: /ready fails from now on, and requests under way are finished.`)
    await countersign.shutdown({ server, wait: options.shutdownWait })
    info("stopped.")
    return exitCodes.done
  } catch (error) {
    await countersign.dispose()
    throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined

/** As `run`. Prints why the service did not start, without a secret. */
export const serve = async (flag: string | undefined): Promise<number> => {
  try {
    return await run(flag)
  } catch (error) {
    const isOwn = error instanceof ConfigurationError || error instanceof StartError
    if (!isOwn && codeOf(error) !== "EADDRINUSE" && codeOf(error) !== "EACCES") throw error
    process.stderr.write(`Error: ${error instanceof Error ? error.message : ""}\n`)
    return error instanceof ConfigurationError ? exitCodes.usage : exitCodes.failed
  }
}
