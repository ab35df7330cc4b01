/**
 * The fenced code blocks of a Markdown text.
 */

export interface Block {
  /** The first word behind the opening fence; empty when there is none. */
  readonly language: string
  readonly code: string
  /** Of the opening fence, counted from 1. */
  readonly line: number
  /** The text of an HTML comment on the line above the fence, blank lines aside. */
  readonly comment: string | undefined
}

export interface Blocks {
  readonly blocks: ReadonlyArray<Block>
  /** Lines with a fence that this reader does not understand. */
  readonly unreadable: ReadonlyArray<number>
}

const openingFence = /^(\s*)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/

const commentAbove = (lines: ReadonlyArray<string>, index: number): string | undefined => {
  const above = lines.slice(0, index).findLast((line) => line.trim() !== "")
  return above === undefined ? undefined : /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(above)?.[1]
}

const isClosing = (line: string, fence: string): boolean => {
  const text = line.trim()
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length)
}

const withoutIndent = (line: string, width: number): string =>
  line.slice(Math.min(width, line.length - line.trimStart().length))

export const blocksOf = (markdown: string): Blocks => {
  const lines = markdown.split("\n")
  const blocks: Array<Block> = []
  const unreadable: Array<number> = []
  for (let index = 0; index < lines.length; index++) {
    const opening = lines[index] ?? ""
    const [, indent = "", fence = "", language = ""] = openingFence.exec(opening) ?? []
    if (fence === "") {
      // In a quote, say: better refused than passed over.
      if (/`{3}|~{3}/.test(opening)) unreadable.push(index + 1)
      continue
    }
    const length = lines.slice(index + 1).findIndex((line) => isClosing(line, fence))
    if (length < 0) {
      unreadable.push(index + 1)
      break
    }
    const code = lines
      .slice(index + 1, index + 1 + length)
      .map((line) => withoutIndent(line, indent.length))
      .join("\n")
    blocks.push({ language, code, line: index + 1, comment: commentAbove(lines, index) })
    index += length + 1
  }
  return { blocks, unreadable }
}
