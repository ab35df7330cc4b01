/** Finds and reads the file of the configuration. */
import { ConfigurationError } from "countersign"
import { type ConfigFile, configVariable, type Environment } from "countersign/serve"
import { existsSync, readFileSync } from "node:fs"
import { extname, resolve } from "node:path"

const basename = "countersign.config"

const extensions = [".json", ".ts", ".mts", ".js", ".mjs"] as const

/** The names that are looked for in the current folder, in this order. */
export const fileNames: ReadonlyArray<string> = extensions.map((one) => basename + one)

/** The path of the file; `undefined` if none is named and the current folder has none. */
export const fileOf = (flag: string | undefined, environment: Environment): string | undefined => {
  const named = flag ?? environment[configVariable]
  if (named === undefined || named === "") return fileNames.find((name) => existsSync(name))
  if (!existsSync(named)) throw new ConfigurationError(`There is no configuration ${named}`)
  if (extensions.every((one) => one !== extname(named))) {
    throw new ConfigurationError(`The name of a configuration ends with ${extensions.join(", ")}`)
  }
  return named
}

/** Never quotes the text, which may contain a secret. */
const parsed = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    const place =
      error instanceof Error ? /line \d+ column \d+/.exec(error.message)?.[0] : undefined
    const where = place === undefined ? "" : ` at ${place}`
    throw new ConfigurationError(`${file} is no valid JSON${where}`)
  }
}

export const readConfigFile = async (file: string): Promise<ConfigFile> => {
  if (extname(file) === ".json") return { value: parsed(file), isJson: true }
  const { importConfig } = await import("./configModule.ts")
  const loaded = await importConfig(resolve(file))
  if (!("default" in loaded)) {
    throw new ConfigurationError(`${file} must export its options: export default { … }`)
  }
  return { value: loaded.default, isJson: false }
}
