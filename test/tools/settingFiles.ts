/** The references of the options of `createCountersign` and of the settings of `countersign serve`, from their types. */
import { isTuple, type Shape } from "../../packages/countersign/src/internal/options/shape.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"
import { optionTexts } from "./optionShapes.ts"

const names: Readonly<Record<string, string>> = {
  "a text": "string",
  "true or false": "boolean",
  anything: "any",
}

/** The type of a value. */
const typeOf = (shape: Shape): string => {
  if (typeof shape === "string") {
    if (shape.startsWith('"')) return shape.replaceAll('"', "`")
    return names[shape] ?? shape.replace(/^a /, "")
  }
  if (!isTuple(shape)) return "object"
  const [item, or] = shape
  if (or === undefined) return `list of ${typeOf(item)}`
  return `${typeOf(item)} or ${or === null ? "`null`" : (/list$/.exec(or)?.[0] ?? "string")}`
}

/** The members of an object, and those of the items of a list, by their places. */
const membersOf = (shape: Shape, path: string): ReadonlyArray<readonly [string, Shape]> => {
  if (typeof shape === "string") return []
  if (!isTuple(shape)) return Object.entries(shape).map(([name, one]) => [`${path}.${name}`, one])
  return membersOf(shape[0], shape.length === 1 || shape[1] === "or a list" ? `${path}.0` : path)
}

/** A member without a text has the text of its object in other places. */
const ownText = (place: string): string => {
  const text = optionTexts.get(place) ?? ""
  return text === optionTexts.get(place.slice(0, place.lastIndexOf("."))) ? "" : text
}

const rowsIn = ([place, shape]: readonly [string, Shape]): ReadonlyArray<ReadonlyArray<string>> => {
  const text = ownText(place)
  const [meaning = "", usual = ""] = text.split(/(?:^| )Default: (.*)\.$/)
  const path = place.replace("options.", "").replaceAll(".0", "[]")
  const row = [`\`${path}\``, typeOf(shape), usual, meaning]
  // Pages of their own have the members.
  if (["limits", "verifications.texts.templates"].includes(path)) return [row]
  // A group whose members say it all.
  const isGroup = typeOf(shape) === "object" && usual === "" && !/undefined|must/.test(meaning)
  return [...(isGroup ? [] : [row]), ...membersOf(shape, place).flatMap(rowsIn)]
}

/** Imported when called: the shapes may have been written just before. */
export const readSettingFiles = async (): Promise<ReadonlyArray<Barrel>> => {
  const { regularVariableOf, settings } =
    await import("../../packages/countersign/src/internal/serve/variables.ts")
  const { options } =
    await import("../../packages/countersign/src/internal/options/optionShapes.ts")
  const optionRows = membersOf(options, "options").flatMap(rowsIn)
  const isOption = (path: string): boolean =>
    path.startsWith("limits.") || path.startsWith("tracing.") || optionTexts.has(`options.${path}`)
  const settingRows = settings
    .filter(({ path }) => !isOption(path))
    .map(({ path, shape, variable }) => [
      `\`${path}\``,
      `\`${variable}\``,
      typeOf(shape),
      ownText(`serveOptions.${path}`),
    ])
  const variableRows = settings
    .filter(({ path, variable }) => variable !== regularVariableOf(path))
    .map(({ path, variable }) => [`\`${path}\``, `\`${variable}\``])
  return [
    generatedFile("docs/reference/options.md", (text) =>
      betweenMarkers(
        "options",
        text,
        markdownTable([["option", "type", "default", "meaning"], ...optionRows]),
      ),
    ),
    generatedFile("docs/reference/configuration.md", (text) =>
      betweenMarkers(
        "settings",
        betweenMarkers("variables", text, markdownTable([["option", "variable"], ...variableRows])),
        markdownTable([["setting", "variable", "type", "meaning"], ...settingRows]),
      ),
    ),
  ]
}
