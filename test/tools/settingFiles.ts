/** The reference of the settings of `countersign serve`, from the types of its options. */
import { isTuple, type Shape } from "../../packages/countersign/src/internal/options/shape.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"

/** How a variable has the value. */
const kindOf = (shape: Shape): string => {
  if (typeof shape === "string") {
    if (shape === "anything") return "JSON"
    return shape.startsWith('"') ? shape.replaceAll('"', "`") : shape.replace(/^a /, "")
  }
  if (!isTuple(shape)) return "JSON"
  const [item, or] = shape
  const inner = kindOf(item)
  if (or === null) return `${inner}, or \`null\``
  if (or === "or a text") return "text or JSON"
  return inner === "JSON" ? inner : `list of ${inner}`
}

/** Imported when called: the shapes may have been written just before. */
export const readSettingFiles = async (): Promise<ReadonlyArray<Barrel>> => {
  const { settings } = await import("../../packages/countersign/src/internal/serve/variables.ts")
  const { serveTexts } =
    await import("../../packages/countersign/src/internal/options/serveTexts.ts")
  const rows = settings.map(({ path, shape, variable }) => [
    `\`${path}\``,
    `\`${variable}\``,
    kindOf(shape),
    serveTexts[path] ?? "",
  ])
  const table = markdownTable([["option", "variable", "value", "meaning"], ...rows])
  return [
    generatedFile("docs/reference/configuration.md", (text) =>
      betweenMarkers("settings", text, table),
    ),
  ]
}
