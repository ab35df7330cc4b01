/** The tables of spans, their attributes and the lines of the log, in the page for operators. */
import { attributes, type SpanRow, spanTable } from "@countersign/core/engine/SpanTable"
import { type LogRow, logTable } from "../../packages/countersign/src/internal/engine/logTable.ts"
import type { Barrel } from "./barrels.ts"
import { generatedFile } from "./generatedFile.ts"
import { betweenMarkers, markdownTable } from "./markdownTable.ts"

const spans: ReadonlyArray<SpanRow> = Object.values(spanTable)
const lines: ReadonlyArray<readonly [string, LogRow]> = Object.entries(logTable)

const spanTexts = markdownTable([
  ["span", "kind", "covers"],
  ...spans.map(({ covers, kind, named }) => [named, `\`${kind}\``, covers]),
])

const attributeTexts = markdownTable([
  ["attribute", "meaning"],
  ...Object.entries(attributes).map(([name, meaning]) => [`\`${name}\``, meaning]),
])

const lineTexts = markdownTable([
  ["member", "type", "meaning"],
  ...lines.map(([name, { meaning, type }]) => [`\`${name}\``, type, meaning]),
])

export const readTraceFiles = (): ReadonlyArray<Barrel> => [
  generatedFile("docs/operate/traces-and-logs.md", (text) =>
    betweenMarkers(
      "spans",
      betweenMarkers("attributes", betweenMarkers("log", text, lineTexts), attributeTexts),
      spanTexts,
    ),
  ),
]
